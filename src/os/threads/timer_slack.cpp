#include "os/threads/timer_slack.hpp"

#include <sys/prctl.h>

namespace charm::os {

void set_timer_slack() noexcept { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

}  // namespace charm::os
