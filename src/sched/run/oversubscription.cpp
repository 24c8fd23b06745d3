#include "sched/run/oversubscription.hpp"

#include <charm/machine.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <set>

#include "base/notices.hpp"
#include "os/machine/load_average.hpp"
#include "os/machine/pressure.hpp"
#include "placement/placement.hpp"

namespace charm::sched {
namespace {

// Belongs to the one runtime handle: set while it runs, forgotten with it. Apart from it so that a spinning lock reads
// one word and no pointer that may go away.
constinit OversubscriptionState state;

std::string rounded(double value) {
  char text[32];
  std::snprintf(text, sizeof text, "%.1f", value);
  return text;
}

}  // namespace

Oversubscription oversubscription_at_start(const Machine& machine, const placement::Placement& placement, bool bound,
                                           const std::string& root) {
  if (!machine.is_live()) return {};  // a described machine says nothing about this one's cpus
  const auto& worker_cores = placement.start();
  const std::size_t workers = worker_cores.size();
  std::size_t cpus = machine.allowed_cpus.size();
  if (bound) {
    std::set<int> different;
    for (const WorkerCore& worker_core : worker_cores) different.insert(worker_core.cpu);
    if (different.count(-1) == 0) cpus = std::min(cpus, different.size());
  }
  if (workers > cpus) return {std::to_string(workers) + " workers share " + std::to_string(cpus) + " cpus", true};
  if (machine.cpu_quota > 0 && static_cast<double>(workers) > machine.cpu_quota + 0.01) {
    return {std::to_string(workers) + " workers share a cgroup quota of " + rounded(machine.cpu_quota) + " cpus", true};
  }
  if (auto waiting = os::cpu_pressure(root); waiting && *waiting >= 20) {
    return {"tasks of this machine waited for a cpu " + rounded(*waiting) + " % of the last ten seconds", false};
  }
  if (auto load = os::read_load_average(root); load && load->runnable > 1 + machine.allowed_cpus.size()) {
    return {std::to_string(load->runnable - 1) + " threads of other programs want to run on this machine", false};
  }
  return {};
}

bool oversubscribed() noexcept { return state.is_on(); }

void report_oversubscription(const Oversubscription& oversubscription, std::int64_t now_ns) {
  if (!state.report(oversubscription.lasting, now_ns)) return;
  const std::string text = "oversubscribed: " + oversubscription.reason + "; idle workers and waiting locks spin less";
  if (oversubscription.lasting)
    base::notice("oversubscribed", text);
  else
    base::note("oversubscribed-by-load", text);
}

void forget_oversubscription() noexcept { state.forget(); }

void let_oversubscription_pass(std::int64_t now_ns) noexcept { state.let_pass(now_ns); }

void PreemptionDetector::report(std::int64_t now_ns) noexcept {
  try {
    report_oversubscription({"idle workers were kept off their cpus for milliseconds", false}, now_ns);
  } catch (const std::exception&) {  // no memory for the text; the state counts
  }
}

}  // namespace charm::sched
