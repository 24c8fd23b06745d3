#include "tools/cli/bench/settle.hpp"

#include <ctime>
#include <thread>

namespace charm::cli {
namespace {

using Clock = std::chrono::steady_clock;

std::chrono::nanoseconds cpu_time_of_process() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return std::chrono::seconds(now.tv_sec) + std::chrono::nanoseconds(now.tv_nsec);
}

}  // namespace

bool wait_until_idle(std::chrono::milliseconds patience) {
  constexpr auto look = std::chrono::milliseconds(2);
  const auto deadline = Clock::now() + patience;
  while (true) {
    const auto cpu_before = cpu_time_of_process();
    const auto before = Clock::now();
    std::this_thread::sleep_for(look);
    const auto used = cpu_time_of_process() - cpu_before;
    if (used * 10 < Clock::now() - before) return true;  // less than a tenth of one cpu
    if (Clock::now() >= deadline) return false;
  }
}

}  // namespace charm::cli
