#include "tools/os/file_identity.hpp"

#include <cerrno>
#include <cstring>
#include <unistd.h>

#include <sys/stat.h>

namespace charm::os {

FileIdentity file_identity(const std::string& path) {
  FileIdentity file;
  struct stat found{};
  if (stat(path.c_str(), &found) != 0) {
    file.problem = errno == ENOENT ? "does not exist" : std::string("cannot be looked at: ") + std::strerror(errno);
  } else if (!S_ISREG(found.st_mode)) {
    file.problem = "is no plain file";
  } else if (found.st_size == 0) {
    file.problem = "is empty";
  } else if (access(path.c_str(), R_OK) != 0) {
    file.problem = std::string("cannot be read: ") + std::strerror(errno);
  }
  file.device = found.st_dev;
  file.number = found.st_ino;
  file.bytes = static_cast<std::uint64_t>(found.st_size);
  return file;
}

}  // namespace charm::os
