#include "tools/os/memory_file.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/stat.h>

namespace charm::os {
namespace {

constexpr off_t most_bytes = 4 << 10;  // far below any limit on the size of files

}  // namespace

MemoryFile::MemoryFile() : file_(memfd_create("charm", MFD_CLOEXEC)) {
  if (file_ < 0) {
    throw Error(Errc::system, "cannot make a file in memory: " + std::string(std::strerror(errno)),
                "raise the limit on open files");
  }
  fcntl(file_, F_SETFL, O_APPEND);
}

MemoryFile::~MemoryFile() { close(file_); }

void MemoryFile::give_as(int number) const {
  // dup2() onto itself would leave it to be closed by exec.
  if (number == file_) {
    fcntl(number, F_SETFD, 0);
  } else {
    dup2(file_, number);
  }
}

std::string MemoryFile::end() const {
  struct stat file{};
  if (fstat(file_, &file) != 0) return "";
  std::array<char, 256> buffer{};
  const off_t begin = std::max<off_t>(0, file.st_size - static_cast<off_t>(buffer.size()));
  const ssize_t got = pread(file_, buffer.data(), buffer.size(), begin);
  if (file.st_size > most_bytes) {
    [[maybe_unused]] const int cut = ftruncate(file_, 0);
  }
  return {buffer.data(), static_cast<std::size_t>(std::max<ssize_t>(got, 0))};
}

bool is_inherited(int descriptor) {
  const int flags = fcntl(descriptor, F_GETFD);
  return flags >= 0 && (flags & FD_CLOEXEC) == 0;
}

}  // namespace charm::os
