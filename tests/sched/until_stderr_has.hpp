// Waits until the library has said something.
#pragma once

#include <cstdlib>
#include <poll.h>
#include <string>
#include <unistd.h>

namespace charm::test {

/// For two minutes at most; passes on what it reads. \return all of it.
inline std::string wait_until_stderr_has(const std::string& wanted) {
  int ends[2] = {-1, -1};
  const int told = dup(STDERR_FILENO);
  if (pipe(ends) != 0 || dup2(ends[1], STDERR_FILENO) < 0) std::_Exit(90);
  std::string said;
  for (pollfd file{ends[0], POLLIN, 0}; said.find(wanted) == std::string::npos && poll(&file, 1, 120000) == 1;) {
    char part[4096];
    const ssize_t size = read(ends[0], part, sizeof part);
    if (size <= 0) break;
    said.append(part, static_cast<std::size_t>(size));
    static_cast<void>(!write(told, part, static_cast<std::size_t>(size)));
  }
  dup2(told, STDERR_FILENO);
  for (const int end : {ends[0], ends[1], told}) close(end);
  return said;
}

}  // namespace charm::test
