#include "os/files/private_file.hpp"

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <csignal>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

#include "base/environment.hpp"
#include "os/files/own_file.hpp"

namespace charm::os {
namespace {

std::string text_of_error(int error) { return std::generic_category().message(error); }

}  // namespace

std::string private_folder() {
  const char* runtime = base::environment("XDG_RUNTIME_DIR");
  struct stat found{};
  // Under sudo it may be that of the user who called, where a folder of root's would stay.
  if (runtime != nullptr && *runtime == '/' && lstat(runtime, &found) == 0 && found.st_uid == geteuid())
    return std::string(runtime) + "/charm";
  const char* temporary = base::environment("TMPDIR");
  const std::string base = temporary != nullptr && *temporary == '/' ? temporary : "/tmp";
  return base + "/charm-" + std::to_string(geteuid());
}

std::string prepare_private_folder(const std::string& folder) {
  if (mkdir(folder.c_str(), 0700) != 0 && errno != EEXIST) return folder + ": " + text_of_error(errno);
  struct stat found{};
  if (lstat(folder.c_str(), &found) != 0) return folder + ": " + text_of_error(errno);
  if (!S_ISDIR(found.st_mode) || found.st_uid != geteuid()) return folder + " is not a folder of this user";
  return "";
}

void remove_files_of_ended_processes(const std::string& folder, std::string_view suffix) {
  std::error_code error;
  for (std::filesystem::directory_iterator at(folder, error), end; !error && at != end; at.increment(error)) {
    const std::string name = at->path().filename().string();
    if (!name.ends_with(suffix)) continue;
    const char* stem_end = name.data() + name.size() - suffix.size();
    int process = 0;
    const auto [stop, wrong] = std::from_chars(name.data(), stem_end, process);
    if (wrong != std::errc() || stop != stem_end || process <= 0) continue;
    if (kill(process, 0) != 0 && errno == ESRCH) unlink(at->path().c_str());
  }
}

std::optional<std::string> read_private_file(const std::string& path, std::size_t most_bytes) {
  const OwnFile file = open_own_file(path, O_RDONLY);
  struct stat found{};
  if (!file.descriptor || fstat(file.descriptor.get(), &found) != 0) return std::nullopt;
  std::string text(std::min(most_bytes, static_cast<std::size_t>(found.st_size)), '\0');
  const ssize_t got = read(file.descriptor.get(), text.data(), text.size());
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

PrivateFile::PrivateFile(const std::string& path) : path_(path), process_(getpid()) {
  const std::string folder = path_.substr(0, path_.rfind('/'));
  error_ = prepare_private_folder(folder);
  if (!error_.empty()) return;
  unlink(path_.c_str());  // may be left from a process that had our process id
  OwnFile made = open_own_file(path_, O_WRONLY | O_CREAT | O_EXCL | O_APPEND);
  file_ = std::move(made.descriptor);
  if (!file_) error_ = path_ + ": " + made.problem;
}

PrivateFile::~PrivateFile() {
  if (file_ && getpid() == process_) unlink(path_.c_str());
}

bool PrivateFile::is_open() const noexcept { return file_ && getpid() == process_; }

std::size_t PrivateFile::append(std::string_view text) noexcept {
  const ssize_t written = write(file_.get(), text.data(), text.size());
  return written > 0 ? static_cast<std::size_t>(written) : 0;
}

bool PrivateFile::clear() noexcept { return ftruncate(file_.get(), 0) == 0; }

}  // namespace charm::os
