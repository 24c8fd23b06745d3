#include "os/punctual.hpp"

#include <sys/prctl.h>

namespace charm::os {

void wake_me_punctually() noexcept { prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL); }

}  // namespace charm::os
