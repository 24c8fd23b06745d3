// What a thread hands on to the threads and programs that it begins, besides its affinity mask. The runtime gives its
// workers other values than the program has, so that what they begin would have those, too.
#pragma once

#include <cstdint>

namespace charm::os {

struct HandedOn {
  std::uint64_t timer_slack_ns = 0;   // 0: not known
  bool default_memory_policy = true;  // and not one that was set from outside (numactl); that one workers keep, too
};

/// What the calling thread hands on.
HandedOn handed_on();

/// From now on the calling thread hands on what the thread did of which this is.
void hand_on(const HandedOn& values);

}  // namespace charm::os
