#include "os/threads/handed_on.hpp"

#include "os/memory/thread_memory.hpp"
#include "os/threads/timer_slack.hpp"

namespace charm::os {

HandedOn handed_on() { return {timer_slack(), has_default_memory_policy()}; }

void hand_on(const HandedOn& values) {
  set_timer_slack(values.timer_slack_ns);
  if (values.default_memory_policy) reset_memory_policy();
}

}  // namespace charm::os
