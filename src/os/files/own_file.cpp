#include "os/files/own_file.hpp"

#include <cerrno>
#include <fcntl.h>
#include <system_error>
#include <unistd.h>

#include <sys/stat.h>

namespace charm::os {

void Descriptor::reset(int number) noexcept {
  if (number_ >= 0) close(number_);
  number_ = number;
}

OwnFile open_own_file(const std::string& path, int flags, mode_t mode) {
  Descriptor file(::open(path.c_str(), flags | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK, mode));
  const auto refused = [](std::string problem) { return OwnFile{Descriptor(), std::move(problem)}; };
  if (!file) return refused(errno == ELOOP ? "it is a symbolic link" : std::generic_category().message(errno));
  struct stat found{};
  if (fstat(file.get(), &found) != 0) return refused(std::generic_category().message(errno));
  if (!S_ISREG(found.st_mode)) return refused("it is no plain file");
  if (found.st_uid != geteuid()) return refused("it belongs to user " + std::to_string(found.st_uid));
  if (found.st_nlink > 1) return refused("it has a second name");
  return {std::move(file), ""};
}

bool is_at(int descriptor, const std::string& path) {
  struct stat open_one{};
  struct stat named{};
  return fstat(descriptor, &open_one) == 0 && lstat(path.c_str(), &named) == 0 && open_one.st_ino == named.st_ino &&
         open_one.st_dev == named.st_dev;
}

}  // namespace charm::os
