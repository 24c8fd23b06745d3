#include "counters/switch_cost.hpp"

#include <algorithm>

namespace charm::counters {
namespace {

/// The events on both threads, as long as it lives.
class Counted {
 public:
  Counted(os::AttachedEvents& attached, const std::vector<os::PerfEvent>& events, const os::Handover& handover)
      : attached_(attached) {
    for (const int thread : handover.threads()) {
      for (const os::PerfEvent& event : events) {
        const int descriptor = attached_.open(event, thread, -1);
        whole_ = whole_ && descriptor >= 0;
        if (descriptor >= 0) descriptors_.push_back(descriptor);
      }
    }
  }
  ~Counted() {
    for (const int descriptor : descriptors_) attached_.close(descriptor);
  }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;
  [[nodiscard]] bool whole() const { return whole_; }

 private:
  os::AttachedEvents& attached_;
  std::vector<int> descriptors_;
  bool whole_ = true;
};

bool keep_least(double& least, double seconds) {
  if (!(seconds > 0)) return false;
  least = least > 0 ? std::min(least, seconds) : seconds;
  return true;
}

}  // namespace

std::optional<SwitchCost> measure_switch_cost(os::AttachedEvents& attached, const std::vector<os::PerfEvent>& events,
                                              os::Handover& handover, Effort effort) {
  if (events.empty()) return std::nullopt;
  SwitchCost cost;
  cost.events = events.size();
  for (int r = 0; r < effort.rounds; ++r) {
    if (!keep_least(cost.plain_s, handover.seconds(effort.switches))) return std::nullopt;
    const Counted counted(attached, events, handover);
    if (!counted.whole() || !keep_least(cost.counted_s, handover.seconds(effort.switches))) return std::nullopt;
  }
  return cost;
}

}  // namespace charm::counters
