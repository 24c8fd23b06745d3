#include "tools/os/machine_watch.hpp"

#include <algorithm>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "os/processes/process_stat.hpp"
#include "os/processes/this_process.hpp"

namespace charm::os {
namespace {

// Below these nothing is worth a line: they are within what a quiet machine does.
constexpr double little_cpu = 0.1;          // cpus' worth of time
constexpr double little_of_machine = 0.03;  // share of all cpus
constexpr double little_stolen = 0.005;

double own_cpu_seconds() { return cpu_seconds() + cpu_seconds_of_children(); }

std::string who_used_most(const MachineActivity& activity, double seconds) {
  std::vector<std::pair<double, std::string>> users;
  for (const auto& [id, now] : activity.after.processes) {
    if (id == activity.own_process) continue;
    const auto then = activity.before.processes.find(id);
    const bool known = then != activity.before.processes.end() && then->second.started == now.started;
    const double cpus = (now.cpu_s - (known ? then->second.cpu_s : 0)) / seconds;
    if (cpus >= little_cpu / 2) users.emplace_back(cpus, fmt::format("{} (process {}) {:.2g}", now.name, id, cpus));
  }
  std::sort(users.begin(), users.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
  std::string text;
  for (std::size_t i = 0; i < std::min<std::size_t>(users.size(), 3); ++i)
    text += (text.empty() ? "" : ", ") + users[i].second;
  return text;
}

}  // namespace

MachineWatch::MachineWatch() : own_cpu_s_(own_cpu_seconds()) {
  activity_.own_process = process_id();
  activity_.governors = frequency_governors();
  activity_.before = look_at_machine_use();
}

MachineActivity MachineWatch::so_far() const {
  MachineActivity activity = activity_;
  activity.own_cpu_s = own_cpu_seconds() - own_cpu_s_;
  activity.after = look_at_machine_use();
  return activity;
}

OthersUse others_use(const MachineActivity& activity) {
  OthersUse use;
  const auto& [before, after, own_cpu_s, own_process, governors] = activity;
  const double seconds = after.at_s - before.at_s;
  if (!(seconds > 0) || after.cpus <= 0) return use;
  use.cpus = std::max(0.0, (after.busy_s - before.busy_s - own_cpu_s) / seconds);
  use.stolen = std::max(0.0, (after.stolen_s - before.stolen_s) / seconds / after.cpus);
  use.who = who_used_most(activity, seconds);
  return use;
}

std::vector<std::string> others_at_work(const MachineActivity& activity) {
  std::vector<std::string> lines;
  const int cpus = activity.after.cpus;
  const OthersUse use = others_use(activity);
  // The kernel counts each cpu's time in ticks, of which a short run has few.
  const double seconds = activity.after.at_s - activity.before.at_s;
  const double unclear = seconds > 0 ? 2 * tick_seconds() / seconds : 0;  // of a cpu
  if (use.cpus > 0 && use.cpus >= std::max({little_cpu, little_of_machine * cpus, unclear * cpus})) {
    lines.push_back(
        fmt::format("other programs used {:.2g} of {} cpus{}{}", use.cpus, cpus, use.who.empty() ? "" : ": ", use.who));
  }
  if (use.stolen >= std::max(little_stolen, unclear)) {
    lines.push_back(
        fmt::format("the hypervisor kept the cpus for {} of the time (steal)", base::format_percent(use.stolen)));
  }
  return lines;
}

}  // namespace charm::os
