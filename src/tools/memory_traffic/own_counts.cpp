#include "tools/memory_traffic/own_counts.hpp"

#include <algorithm>

#include "counters/sources.hpp"
#include "counters/switch_cost.hpp"
#include "os/threads/handover.hpp"
#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

using counters::FillSource;

constexpr double most_added_s = 1e-6;  // to a switch between threads; what real counters add is a fraction of it

bool is_far(FillSource source) { return source == FillSource::remote_dram || source == FillSource::other; }

/// What has been added since the last reading; of a thread or cpu that was not there: all of it.
std::pair<double, double> since(const std::pair<double, double>& now,
                                const std::unordered_map<int, std::pair<double, double>>& before, int id) {
  const auto was = before.find(id);
  if (was == before.end()) return now;
  return {std::max(0.0, now.first - was->second.first), std::max(0.0, now.second - was->second.second)};
}

std::pair<double, double> lines_of(const counters::Reading& reading) {
  return {static_cast<double>(reading.fill(FillSource::local_dram)),
          static_cast<double>(reading.fill(FillSource::remote_dram) + reading.fill(FillSource::other))};
}

}  // namespace

counters::EventPlan memory_events(const counters::EventPlan& plan) {
  counters::EventPlan part = plan;
  bool near = false;
  bool far = false;
  for (auto& group : part.groups) {
    std::erase_if(group, [&](const counters::Planned& one) {
      if (one.role != counters::EventRole::fill) return true;
      near = near || one.source == FillSource::local_dram;
      far = far || one.source == FillSource::remote_dram;
      return one.source != FillSource::local_dram && !is_far(one.source);
    });
  }
  std::erase_if(part.groups, [](const auto& group) { return group.empty(); });
  std::erase_if(part.classes, [](const counters::FillClass& one) {
    return one.reported_as != FillSource::local_dram && !is_far(one.reported_as);
  });
  if (!near || !far) part.groups.clear();
  return part;
}

OwnCounts::OwnCounts(const Model& model, const std::shared_ptr<os::AttachedEvents>& events,
                     const counters::EventPlan& plan, const os::PerfAccess& access, CpuSet cpus)
    : of_threads_(events, plan, access),
      of_cpus_(events, plan, access),
      cpus_(std::move(cpus)),
      roots_(roots(model).size()) {
  for (const counters::FillClass& one : plan.classes) {
    if (one.reported_as == FillSource::remote_dram && one.covers.has(FillSource::remote_cache))
      lines_.near_is_socket = true;
  }
  if (plan.groups.empty()) give_up("the cores do not count which lines come from near memory and which from other");
}

std::unique_ptr<OwnCounts> OwnCounts::of_this_machine(const Model& model, const Machine& machine) {
  const counters::SourceContext around = counters::source_context();
  counters::EventPlan plan =
      memory_events(counters::make_plan(counters::model_of(around.cpu), counters::shape_of(machine), {}));
  const auto events = os::system_attached_events();
  std::string why_not;
  std::vector<os::PerfEvent> all;
  for (const auto& group : plan.groups) {
    for (const counters::Planned& one : group) all.push_back(one.event);
  }
  if (const auto handover = all.empty() ? nullptr : os::start_handover(); handover != nullptr) {
    const auto cost = counters::measure_switch_cost(*events, all, *handover, counters::quick_measurement);
    if (cost && cost->added_s() > most_added_s) why_not = "counting would slow down each switch between threads";
  }
  auto counts = std::make_unique<OwnCounts>(model, events, plan, around.access, machine.allowed_cpus);
  if (!why_not.empty()) counts->give_up(why_not);
  return counts;
}

void OwnCounts::give_up(const std::string& why) { why_not_ = why; }

const CountedLines* OwnCounts::read(std::uint64_t time_ns, const std::vector<RunningThread>& threads,
                                    const memory::WeightPage& page) {
  if (!why_not_.empty()) return nullptr;
  const auto root_of = [&](int cpu) -> int {
    if (cpu < 0 || at(cpu) >= memory::most_cpus || page.root_of_cpu[at(cpu)] == memory::no_root) return -1;
    const int root = page.root_of_cpu[at(cpu)];
    return at(root) < roots_ ? root : -1;
  };
  const auto add = [](Lines& lines, int root, const std::pair<double, double>& more) {
    lines.near[at(root)] += more.first;
    lines.far[at(root)] += more.second;
  };
  // First all cpus: if the kernel refuses those, no thread needs an event.
  const auto of_cpus = of_cpus_.of_cpus(cpus_, time_ns);
  if (!of_cpus_.why_not().empty()) {
    give_up(of_cpus_.why_not());
    return nullptr;
  }
  std::vector<int> ids;
  for (const RunningThread& one : threads) ids.push_back(one.thread);
  const auto of_threads = of_threads_.of_threads(ids, time_ns);
  if (!of_threads_.why_not().empty()) {
    give_up(of_threads_.why_not());
    return nullptr;
  }

  const std::vector<double> none(roots_, 0);
  lines_.ours = {none, none};
  lines_.others = {none, none};
  Totals threads_now;
  for (const RunningThread& one : threads) {
    const auto found = of_threads.find(one.thread);
    if (found == of_threads.end()) continue;
    threads_now[one.thread] = lines_of(found->second);
    if (const int root = root_of(one.cpu); root >= 0)
      add(lines_.ours, root, since(threads_now[one.thread], threads_before_, one.thread));
  }
  Totals cpus_now;
  for (const auto& [cpu, reading] : of_cpus) {
    cpus_now[cpu] = lines_of(reading);
    if (const int root = root_of(cpu); root >= 0) add(lines_.others, root, since(cpus_now[cpu], cpus_before_, cpu));
  }
  const bool all = of_threads_.left_out() == 0 && of_cpus_.left_out() == 0;
  const bool known = !cpus_before_.empty();
  threads_before_ = std::move(threads_now);
  cpus_before_ = std::move(cpus_now);
  for (std::size_t r = 0; r < roots_; ++r) {
    lines_.others.near[r] = std::max(0.0, lines_.others.near[r] - lines_.ours.near[r]);
    lines_.others.far[r] = std::max(0.0, lines_.others.far[r] - lines_.ours.far[r]);
  }
  return all && known ? &lines_ : nullptr;
}

OwnTraffic::OwnTraffic(const Model& model, OwnPrograms programs, std::unique_ptr<OwnCounts> counts)
    : model_(model), programs_(std::move(programs)), counts_(std::move(counts)) {}

Bandwidths OwnTraffic::part_of(const Bandwidths& reading, double now_s, const memory::WeightPage& page) {
  const BusyCores& busy = programs_.read(now_s, page);
  if (counts_ != nullptr && programs_.looks() != looks_)
    lines_ = counts_->read(static_cast<std::uint64_t>(now_s * 1e9), programs_.threads(), page);
  looks_ = programs_.looks();
  return lines_ != nullptr ? own_flow(model_, page, reading, *lines_) : own_flow(model_, page, reading, busy);
}

std::string OwnTraffic::why_not_counted() const {
  return counts_ == nullptr ? "nobody has asked for it" : counts_->why_not();
}

}  // namespace charm::memory_traffic
