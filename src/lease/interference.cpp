#include "lease/interference.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

namespace charm::lease {
namespace {

double bound_on(const OwnTime& own, int cpu) {
  const auto found = own.bound.find(cpu);
  return found == own.bound.end() ? 0 : found->second;
}

double bound(const OwnTime& own) {
  double sum = 0;
  for (const auto& [cpu, seconds] : own.bound) sum += seconds;
  return sum;
}

/// Without the time that the hypervisor took, since no program of this machine used it.
double busy_share(const os::CpuTime& before, const os::CpuTime& after) {
  if (after.total <= before.total) return 0;
  const auto busy = [](const os::CpuTime& time) { return static_cast<double>(time.busy - time.stolen); };
  return (busy(after) - busy(before)) / static_cast<double>(after.total - before.total);
}

}  // namespace

void Interference::sample(double now, std::map<int, os::CpuTime> cpus, OwnTime own, const CpuSet& leased) {
  const double seconds = now - at_;
  if (begun_ && seconds > 0) {
    // Time of unbound threads counts on every cpu (quiet in doubt). It includes the time of threads that have ended.
    const double floating = std::max(0.0, (own.all - own_before_.all) - (bound(own) - bound(own_before_)));
    const double keep = std::exp(-seconds / memory_s);
    busy_.clear();
    for (const auto& [cpu, after] : cpus) {
      Cpu& at = levels_[cpu];
      const auto before = before_.find(cpu);
      if (before == before_.end() || leased.contains(cpu)) {
        at = {};
        continue;
      }
      const double mine = (bound_on(own, cpu) - bound_on(own_before_, cpu) + floating) / seconds;
      const double others = std::clamp(busy_share(before->second, after) - mine, 0.0, 1.0);
      at.level = keep * at.level + (1 - keep) * others;
      if (at.level >= busy_from) at.busy = true;
      if (at.level < quiet_below) at.busy = false;
      if (at.busy) busy_.insert(cpu);
    }
    std::erase_if(levels_, [&](const auto& each) { return !cpus.contains(each.first); });  // switched off
  }
  begun_ = true;
  at_ = now;
  due_ = now + interval_s;
  before_ = std::move(cpus);
  own_before_ = std::move(own);
}

}  // namespace charm::lease
