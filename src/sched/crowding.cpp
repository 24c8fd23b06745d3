#include "sched/crowding.hpp"

#include <charm/machine.hpp>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <exception>
#include <set>

#include "base/notices.hpp"
#include "os/pressure.hpp"
#include "placement/placement.hpp"

namespace charm::sched {
namespace {

// Belongs to the one runtime handle: set while it runs, forgotten with it. Apart from it so that a spinning lock reads
// one word and no pointer that may go away.
std::atomic<bool> crowded_now{false};

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

std::string crowding_reason(const Machine& machine, const placement::Placement& placement, bool bound,
                            const std::string& root) {
  if (!machine.is_live()) return "";  // a machine on paper tells nothing about the cpus here
  const auto& seats = placement.start();
  const std::size_t workers = seats.size();
  std::size_t cpus = machine.allowed_cpus.size();
  if (bound) {
    std::set<int> different;
    for (const Seat& seat : seats) different.insert(seat.cpu);
    if (different.count(-1) == 0) cpus = std::min(cpus, different.size());
  }
  if (workers > cpus) return std::to_string(workers) + " workers share " + std::to_string(cpus) + " cpus";
  if (machine.cpu_quota > 0 && static_cast<double>(workers) > machine.cpu_quota + 0.01) {
    return std::to_string(workers) + " workers share a cgroup quota of " + rounded(machine.cpu_quota) + " cpus";
  }
  if (auto waiting = os::cpu_pressure(root); waiting && *waiting >= 20) {
    return "tasks of this machine waited for a cpu " + rounded(*waiting) + " % of the last ten seconds";
  }
  if (auto running = os::runnable_threads(root); running && *running > 1 + machine.allowed_cpus.size()) {
    return std::to_string(*running - 1) + " threads of other programs want to run on this machine";
  }
  return "";
}

bool crowded() noexcept { return crowded_now.load(std::memory_order_relaxed); }

void report_crowding(const std::string& reason) {
  if (crowded_now.exchange(true, std::memory_order_relaxed)) return;
  base::notice("crowded", "oversubscribed: " + reason + "; idle workers and waiting locks spin less");
}

void forget_crowding() noexcept { crowded_now.store(false, std::memory_order_relaxed); }

void GapWatch::report() noexcept {
  if (crowded()) return;
  try {
    report_crowding("idle workers were kept off their cpus for milliseconds");
  } catch (const std::exception&) {
    crowded_now.store(true, std::memory_order_relaxed);  // no memory for the text; the state counts
  }
}

}  // namespace charm::sched
