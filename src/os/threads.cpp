#include "os/threads.hpp"

#include <filesystem>
#include <iterator>
#include <system_error>

namespace charm::os {

int threads_of_process() noexcept {
  std::error_code error;
  std::filesystem::directory_iterator entry("/proc/self/task", error);
  int count = 0;
  while (!error && entry != std::filesystem::directory_iterator()) {
    ++count;
    entry.increment(error);
  }
  return error ? -1 : count;
}

}  // namespace charm::os
