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

SharedFile::SharedFile(Descriptor descriptor, std::string path)
    : descriptor_(std::move(descriptor)), path_(std::move(path)) {}

std::unique_ptr<SharedFile> SharedFile::open(const std::string& path) {
  OwnFile file = open_own_file(path, O_RDWR | O_CREAT);
  if (!file.problem.empty()) refuse(path, file.problem);
  struct stat known{};
  if (fstat(file.descriptor.get(), &known) != 0) refuse(path, std::strerror(errno));
  if ((known.st_mode & 0077U) != 0) refuse(path, "others may read or write it");
  return std::unique_ptr<SharedFile>(new SharedFile(std::move(file.descriptor), path));
}

SharedFile::Turn::Turn(SharedFile& file) : file_(file) {
  struct flock lock{};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  // A turn takes microseconds. If its holder was stopped in the middle of it, give up instead of waiting.
  for (int attempt = 0; attempt < 100; ++attempt) {
    granted_ = fcntl(file_.descriptor_.get(), F_OFD_SETLK, &lock) == 0;
    if (granted_ || (errno != EAGAIN && errno != EACCES && errno != EINTR)) return;
    usleep(200);
  }
}

SharedFile::Turn::~Turn() {
  struct flock lock{};
  lock.l_type = F_UNLCK;
  lock.l_whence = SEEK_SET;
  if (granted_) fcntl(file_.descriptor_.get(), F_OFD_SETLK, &lock);
}

std::string SharedFile::read(std::size_t most, std::size_t offset) const {
  struct stat known{};
  if (fstat(descriptor_.get(), &known) != 0) return {};
  const std::size_t there = static_cast<std::size_t>(known.st_size);
  const std::size_t size = std::min(most, there - std::min(there, offset));
  std::string bytes(size, '\0');
  std::size_t have = 0;
  while (have < size) {
    const ssize_t got = pread(descriptor_.get(), bytes.data() + have, size - have, static_cast<off_t>(offset + have));
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
        pwrite(descriptor_.get(), bytes.data() + done, bytes.size() - done, static_cast<off_t>(offset + done));
    if (put < 0 && errno == EINTR) continue;
    if (put <= 0) return false;
    done += static_cast<std::size_t>(put);
  }
  return true;
}

bool SharedFile::cut(std::size_t bytes) { return ftruncate(descriptor_.get(), static_cast<off_t>(bytes)) == 0; }

bool SharedFile::is_still_there() const { return is_at(descriptor_.get(), path_); }

std::uint64_t SharedFile::identity() const {
  struct stat mine{};
  if (fstat(descriptor_.get(), &mine) != 0) return 0;
  return (static_cast<std::uint64_t>(mine.st_dev) * 0x9e3779b97f4a7c15U) ^ static_cast<std::uint64_t>(mine.st_ino);
}

}  // namespace charm::os
