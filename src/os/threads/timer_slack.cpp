#include "os/threads/timer_slack.hpp"

#include <sys/prctl.h>

namespace charm::os {

std::uint64_t timer_slack() noexcept {
  const int ns = prctl(PR_GET_TIMERSLACK, 0UL, 0UL, 0UL, 0UL);
  return ns > 0 ? static_cast<std::uint64_t>(ns) : 0;
}

void set_timer_slack(std::uint64_t ns) noexcept {
  if (ns != 0) prctl(PR_SET_TIMERSLACK, static_cast<unsigned long>(ns), 0UL, 0UL, 0UL);
}

}  // namespace charm::os
