#include "os/files/bounded_file.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <fcntl.h>
#include <poll.h>
#include <unistd.h>

#include <sys/stat.h>

namespace charm::os {
namespace {

/// Empty for plain files and pipes.
std::string kind_that_is_not_read(mode_t mode) {
  if (S_ISREG(mode) || S_ISFIFO(mode)) return "";
  if (S_ISDIR(mode)) return "is a directory";
  return S_ISSOCK(mode) ? "is a socket, not a file" : "is a device, not a file";
}

class OpenedFile {
 public:
  explicit OpenedFile(int number) : number_(number) {}
  ~OpenedFile() {
    if (number_ >= 0) close(number_);
  }
  OpenedFile(const OpenedFile&) = delete;
  OpenedFile& operator=(const OpenedFile&) = delete;
  [[nodiscard]] int number() const { return number_; }

 private:
  int number_;
};

}  // namespace

std::string what_is_no_file(const std::string& path) {
  struct stat found{};
  return stat(path.c_str(), &found) == 0 ? kind_that_is_not_read(found.st_mode) : "";
}

BoundedText read_bounded(const std::string& path, const ReadBounds& bounds) {
  const auto failed = [](std::string problem) { return BoundedText{"", std::move(problem)}; };
  // Before it is opened: opening a device may do something, and a socket cannot be.
  if (std::string kind = what_is_no_file(path); !kind.empty()) return failed(std::move(kind));
  const OpenedFile file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK | O_NOCTTY));
  if (file.number() < 0)
    return failed(errno == ENOENT ? "does not exist" : std::string("cannot be opened (") + std::strerror(errno) + ")");
  struct stat found{};
  if (fstat(file.number(), &found) != 0) return failed(std::string("cannot be read (") + std::strerror(errno) + ")");
  if (std::string kind = kind_that_is_not_read(found.st_mode); !kind.empty()) return failed(std::move(kind));
  const std::string too_large = "has more than " + std::to_string(bounds.bytes >> 20U) + " MiB";
  if (S_ISREG(found.st_mode) && static_cast<std::size_t>(found.st_size) > bounds.bytes) return failed(too_large);

  BoundedText result;
  if (S_ISREG(found.st_mode)) result.text.reserve(static_cast<std::size_t>(found.st_size));
  std::array<char, 1 << 16> part{};
  for (;;) {
    if (S_ISFIFO(found.st_mode)) {
      // A pipe that nobody has opened for writing says nothing at all, where reading would say that it is at its end.
      pollfd waiting{file.number(), POLLIN, 0};
      const int ready = poll(&waiting, 1, static_cast<int>(std::max(0.0, bounds.patience_s) * 1e3));
      if (ready < 0 && errno == EINTR) continue;
      if (ready == 0) return failed("is a pipe, and nothing came through it");
    }
    const ssize_t got = read(file.number(), part.data(), part.size());
    if (got < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (got < 0) return failed(std::string("cannot be read (") + std::strerror(errno) + ")");
    if (got == 0) return result;
    if (result.text.size() + static_cast<std::size_t>(got) > bounds.bytes) return failed(too_large);
    result.text.append(part.data(), static_cast<std::size_t>(got));
  }
}

}  // namespace charm::os
