// The order in which sleeping workers are asked to wake up.
#pragma once

#include "sched/debug/delays.hpp"

namespace charm::sched {

/// Wakes one sleeper: preferably one that is not to be woken last, else any. Whether a sleeper is to be woken last
/// changes while this looks (the turn of its core is taken or given back). So the second look asks only whether it
/// sleeps. A second look that left out those that it takes for preferred would miss one that was to be woken last at
/// the first look and no more at the second; its job would lie in an inbox while all sleep.
/// \param each calls a function for sleepers until that returns true, and returns whether it has.
/// \param last whether a sleeper is to be woken last. \param wake wakes it, if it still sleeps; returns whether it did.
/// \param preferred_alone there is another group, whose preferred sleepers come before the others of this one.
template <class Each, class Last, class Wake>
bool wake_in_order(Each&& each, Last&& last, Wake&& wake, bool preferred_alone = false) {
  if (each([&](auto& sleeper) { return !last(sleeper) && wake(sleeper); })) return true;
  delay_between_steps();
  return !preferred_alone && each([&](auto& sleeper) { return wake(sleeper); });
}

}  // namespace charm::sched
