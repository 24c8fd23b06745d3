#include "os/files/output_file.hpp"

#include <charm/error.hpp>

#include <cerrno>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "os/files/file_size_signal.hpp"

namespace charm::os {
namespace {

namespace fs = std::filesystem;

std::string reason(int error) { return std::generic_category().message(error); }

/// The target of a symbolic link, so that the link itself is not replaced.
fs::path target_of(const std::string& path) {
  std::error_code ignored;
  fs::path target = path;
  if (fs::is_symlink(target, ignored)) {
    const fs::path followed = fs::weakly_canonical(target, ignored);
    if (!ignored && !followed.empty()) target = followed;
  }
  return target;
}

/// A new, empty file beside `target`, unlinked unless it was renamed away.
class Temporary {
 public:
  explicit Temporary(const fs::path& target) {
    const fs::path folder = target.has_parent_path() ? target.parent_path() : fs::path(".");
    std::string name = (folder / ("." + target.filename().string() + ".XXXXXX")).string();
    name_.assign(name.begin(), name.end());
    name_.push_back('\0');
    fd_ = mkostemp(name_.data(), O_CLOEXEC);
    error_ = fd_ < 0 ? errno : 0;
  }
  ~Temporary() {
    if (fd_ >= 0) close(fd_);
    if (error_ == 0 && !renamed_) unlink(name_.data());
  }
  Temporary(const Temporary&) = delete;
  Temporary& operator=(const Temporary&) = delete;

  [[nodiscard]] int error() const { return error_; }

  /// mkostemp makes a file of mode 0600. The result gets the mode of the file that it replaces, or of a new file under
  /// the umask.
  void take_mode_of(const fs::path& target) {
    struct stat existing{};
    mode_t mode = 0;
    if (lstat(target.c_str(), &existing) == 0 && S_ISREG(existing.st_mode)) {
      mode = existing.st_mode & 07777U;
    } else {
      const mode_t mask = umask(0);
      umask(mask);
      mode = 0666U & ~mask;
    }
    // A mode that cannot be set leaves the file readable to its owner alone, which is no reason to lose the report.
    [[maybe_unused]] const int kept = fchmod(fd_, mode);
  }

  bool write_all(const std::string& text, bool durably) {
    const NoFileSizeSignal no_signal;
    std::size_t done = 0;
    while (done < text.size()) {
      const ssize_t n = ::write(fd_, text.data() + done, text.size() - done);
      if (n < 0 && errno == EINTR) continue;
      if (n < 0) return false;
      done += static_cast<std::size_t>(n);
    }
    if (durably && fsync(fd_) != 0) return false;
    const int fd = fd_;
    fd_ = -1;
    return close(fd) == 0;  // NFS and quotas report a full disk here
  }

  bool rename_to(const fs::path& target) {
    renamed_ = rename(name_.data(), target.c_str()) == 0;
    return renamed_;
  }

 private:
  std::vector<char> name_;
  int fd_ = -1;
  int error_ = 0;
  bool renamed_ = false;
};

}  // namespace

void check_writable(const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw Error(Errc::bad_input, "cannot write '" + path + "': " + why,
                "give the path of a file in a folder that can be written to");
  };
  if (path.empty()) refuse("the path is empty");
  const fs::path target = target_of(path);
  std::error_code error;
  const auto status = fs::status(target, error);
  if (status.type() == fs::file_type::directory) refuse("it is a folder");
  if (fs::exists(status) && status.type() != fs::file_type::regular) refuse("it is not a regular file");
  if (!fs::exists(status) && !target.has_filename()) refuse("it names a folder");
  const Temporary probe(target);
  if (probe.error() != 0) refuse(reason(probe.error()));
}

namespace {

/// Makes the entry of a folder durable; file systems that cannot say so have done what they can.
void sync_folder_of(const fs::path& file) {
  const fs::path folder = file.has_parent_path() ? file.parent_path() : fs::path(".");
  const int fd = open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return;
  fsync(fd);
  close(fd);
}

struct Writing {
  bool durably = false;
  bool secretly = false;
};

void write_file(const std::string& path, const fs::path& target, const std::string& text, Writing how) {
  Temporary file(target);
  int error = file.error();
  if (error == 0) {
    if (!how.secretly) file.take_mode_of(target);
    if (!file.write_all(text, how.durably) || !file.rename_to(target)) error = errno;
  }
  if (error != 0) {
    throw Error(Errc::bad_input, "cannot write '" + path + "': " + reason(error), "free space or give another path");
  }
  if (how.durably) sync_folder_of(target);
}

}  // namespace

void write_whole(const std::string& path, const std::string& text) { write_file(path, target_of(path), text, {}); }

void replace_whole(const std::string& path, const std::string& text) { write_file(path, path, text, {}); }

void replace_secret(const std::string& path, const std::string& text) {
  write_file(path, path, text, {.secretly = true});
}

void write_durably(const std::string& path, const std::string& text) {
  write_file(path, target_of(path), text, {.durably = true});
}

}  // namespace charm::os
