#include "tools/os/sequenced_file.hpp"

#include <charm/error.hpp>

#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/file.h>
#include <sys/stat.h>

#include "os/files/file_size_signal.hpp"

namespace charm::os {
namespace {

constexpr std::size_t number_bytes = sizeof(std::uint64_t);

bool write_whole_at(int file, const char* bytes, std::size_t count, std::size_t offset) {
  const NoFileSizeSignal no_signal;
  while (count > 0) {
    const ssize_t done = pwrite(file, bytes, count, static_cast<off_t>(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done <= 0) return false;
    bytes += done;
    offset += static_cast<std::size_t>(done);
    count -= static_cast<std::size_t>(done);
  }
  return true;
}

[[noreturn]] void refuse_file(const std::string& path, const std::string& why) {
  throw Error(Errc::system, "the file " + path + " cannot be used: " + why, "remove it, or name another file");
}

}  // namespace

SequencedFile::SequencedFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {
  std::uint64_t before = 0;
  if (pread(descriptor_, &before, sizeof before, 0) == static_cast<ssize_t>(sizeof before)) sequence_ = before;
  sequence_ += sequence_ % 2;  // the last writer may have ended in the middle
}

SequencedFile::~SequencedFile() { close(descriptor_); }

std::unique_ptr<SequencedFile> SequencedFile::open(const std::string& path, bool for_all) {
  const mode_t mode = for_all ? 0644 : 0600;
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode);
  if (file < 0) refuse_file(path, std::generic_category().message(errno));
  std::unique_ptr<SequencedFile> made(new SequencedFile(file, path));
  struct stat found{};
  if (fstat(file, &found) != 0 || !S_ISREG(found.st_mode)) refuse_file(path, "it is no plain file");
  if (found.st_uid != geteuid()) refuse_file(path, "it belongs to another user");
  if (found.st_nlink > 1) refuse_file(path, "it has a second name");
  if (flock(file, LOCK_EX | LOCK_NB) != 0) {
    throw Error(Errc::bad_input, "another process keeps " + path + " up to date",
                "one is enough for all programs; end it first, or name another file");
  }
  fchmod(file, mode);
  return made;
}

bool SequencedFile::write(std::string_view bytes) {
  if (bytes.size() < number_bytes) return false;
  const auto put_number = [&](std::uint64_t number) {
    char text[number_bytes];
    std::memcpy(text, &number, number_bytes);
    return write_whole_at(descriptor_, text, number_bytes, 0);
  };
  // Odd before the first byte changes, and even again after the last.
  if (!put_number(sequence_ + 1)) return false;
  const bool whole =
      write_whole_at(descriptor_, bytes.data() + number_bytes, bytes.size() - number_bytes, number_bytes) &&
      ftruncate(descriptor_, static_cast<off_t>(bytes.size())) == 0;
  if (!whole) return false;
  sequence_ += 2;
  return put_number(sequence_);
}

bool SequencedFile::is_still_there() const {
  struct stat open_one{};
  struct stat named{};
  return fstat(descriptor_, &open_one) == 0 && lstat(path_.c_str(), &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

bool has_writer(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
  if (file < 0) return false;
  const bool locked = flock(file, LOCK_SH | LOCK_NB) != 0 && errno == EWOULDBLOCK;
  close(file);
  return locked;
}

}  // namespace charm::os
