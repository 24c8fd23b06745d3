#include "tools/attach/demand.hpp"

#include <algorithm>
#include <cmath>

namespace charm::attach {
namespace {

constexpr double idle_share = 0.1;  // of a cpu: a helper that wakes now and then
constexpr double tick_error = 0.3;  // of a cpu

int whole_cores(double cpus) { return static_cast<int>(std::ceil(std::clamp(cpus, 0.0, 1e6))); }

}  // namespace

int cores_for(const Activity& seen) {
  return std::max({1, seen.workers, whole_cores(seen.wanted - idle_share), whole_cores(seen.ran - tick_error)});
}

void Demand::sample(double now, const Activity& seen) {
  const int cores = cores_for(seen);
  while (!samples_.empty() && samples_.back().cores <= cores) samples_.pop_back();
  samples_.push_back({now, cores});
  while (samples_.front().at < now - memory_s) samples_.pop_front();
}

}  // namespace charm::attach
