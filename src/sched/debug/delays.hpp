// Delays between the steps of the scheduler's protocols: with them a test meets orders of steps that otherwise take a
// thread to lose its cpu at one instruction. They exist in builds with a sanitizer alone, and are off unless the
// variable CHARM_STEP_DELAYS gives the average number of steps from one delay to the next.
#pragma once

#include "fiber/sanitizers.hpp"

namespace charm::sched {

#if defined(CHARM_TSAN) || defined(CHARM_ASAN)
/// Once in a while yields the cpu, spins or sleeps, for up to a millisecond.
void delay_between_steps() noexcept;
#else
inline void delay_between_steps() noexcept {}
#endif

}  // namespace charm::sched
