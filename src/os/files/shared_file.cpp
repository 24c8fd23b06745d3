#include "os/files/shared_file.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>
#include <utility>

#include <sys/stat.h>

#include "os/files/file_size_signal.hpp"

namespace charm::os {
namespace {

constexpr const char* remedy = "remove it, or name another file";

[[noreturn]] void refuse(const std::string& path, const std::string& why) {
  throw Error(Errc::system, "the shared file '" + path + "' cannot be used: " + why, remedy);
}

}  // namespace

SharedFile::SharedFile(int descriptor, std::string path) : descriptor_(descriptor), path_(std::move(path)) {}

SharedFile::~SharedFile() { close(descriptor_); }

std::unique_ptr<SharedFile> SharedFile::open(const std::string& path) {
  const int descriptor = ::open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, 0600);
  if (descriptor < 0) refuse(path, errno == ELOOP ? "it is a symbolic link" : std::strerror(errno));
  std::unique_ptr<SharedFile> file(new SharedFile(descriptor, path));
  struct stat known{};
  if (fstat(descriptor, &known) != 0) refuse(path, std::strerror(errno));
  if (!S_ISREG(known.st_mode)) refuse(path, "it is no plain file");
  if (known.st_uid != geteuid()) refuse(path, "it belongs to user " + std::to_string(known.st_uid));
  if ((known.st_mode & 0077U) != 0) refuse(path, "others may read or write it");
  if (known.st_nlink > 1) refuse(path, "it has a second name");
  return file;
}

SharedFile::Turn::Turn(SharedFile& file) : file_(file) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  // A turn takes microseconds. If its holder was stopped in the middle of it, give up instead of waiting.
  for (int attempt = 0; attempt < 100; ++attempt) {
    granted_ = fcntl(file_.descriptor_, F_OFD_SETLK, &lock) == 0;
    if (granted_ || (errno != EAGAIN && errno != EACCES && errno != EINTR)) return;
    usleep(200);
  }
}

SharedFile::Turn::~Turn() {
  struct flock lock{};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  if (granted_) fcntl(file_.descriptor_, F_OFD_SETLK, &lock);
}

std::string SharedFile::read(std::size_t most, std::size_t offset) const {
  struct stat known{};
  if (fstat(descriptor_, &known) != 0) return {};
  const std::size_t there = static_cast<std::size_t>(known.st_size);
  const std::size_t size = std::min(most, there - std::min(there, offset));
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = pread(descriptor_, bytes.data() + have, size - have, static_cast<off_t>(offset + have));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) break;
    have += static_cast<std::size_t>(got);
  }
  bytes.resize(have);
  return bytes;
}

bool SharedFile::write(std::size_t offset, const std::string& bytes) {
  const NoFileSizeSignal no_signal;
  std::size_t done = 0;
  while (done < bytes.size()) {
    const ssize_t put =
        pwrite(descriptor_, bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

bool SharedFile::cut(std::size_t bytes) { return ftruncate(descriptor_, static_cast<off_t>(bytes)) == 0; }

bool SharedFile::is_still_there() const {
  struct stat mine{};
  struct stat there{};
  return fstat(descriptor_, &mine) == 0 && lstat(path_.c_str(), &there) == 0 && mine.st_dev == there.st_dev &&
         mine.st_ino == there.st_ino;
}

std::uint64_t SharedFile::identity() const {
  struct stat mine{};
  if (fstat(descriptor_, &mine) != 0) return 0;
  return (static_cast<std::uint64_t>(mine.st_dev) * 0x9e3779b97f4a7c15U) ^ static_cast<std::uint64_t>(mine.st_ino);
}

}  // namespace charm::os
