#include "tools/deploy/cores.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

#include "base/format.hpp"
#include "placement/kinds.hpp"
#include "placement/restrict.hpp"

namespace charm::deploy {
namespace {

void narrow(Usable& usable, const CpuSet& kept, std::string why) {
  CpuSet out = usable.machine.allowed_cpus - kept;
  if (out.empty()) return;
  usable.machine = placement::restricted(usable.machine, kept);
  usable.left_over.push_back({std::move(out), {}, std::move(why)});
}

CpuSet cpus_of(const Machine& machine, const CoreSet& cores) {
  CpuSet cpus;
  for (const int core : cores) cpus |= machine.cores[at(core)].siblings;
  return cpus;
}

/// All but `count` cores: of the slowest kind that is left, each from the chiplet that then has the most cores, from
/// the last of those; so the chiplets stay as equal as they can.
CpuSet without_cores(const Machine& machine, int count) {
  const auto kind_of = [&](int core) { return machine.cores[at(core)].kind; };
  std::vector<std::vector<int>> left;  // of each chiplet, the slowest last
  for (const Chiplet& chiplet : machine.chiplets) {
    left.push_back(chiplet.cores.values());
    std::stable_sort(left.back().begin(), left.back().end(), [&](int a, int b) { return kind_of(a) < kind_of(b); });
  }
  const auto rank = [&](const std::vector<int>& cores) {
    return cores.empty() ? std::pair(-1, std::size_t{0})
                         : std::pair(static_cast<int>(kind_of(cores.back())), cores.size());
  };
  for (int i = 0; i < count; ++i) {
    auto first = left.begin();
    for (auto each = left.begin(); each != left.end(); ++each) {
      if (rank(*each) >= rank(*first)) first = each;
    }
    first->pop_back();
  }
  CpuSet cpus;
  for (const auto& cores : left) cpus |= cpus_of(machine, CoreSet(cores));
  return cpus;
}

/// `count` parts of a list of cores, of sizes that differ by one at most.
std::vector<int> sizes_of_parts(std::size_t cores, int count) {
  std::vector<int> sizes(at(count), static_cast<int>(cores) / count);
  for (std::size_t i = 0; i < cores % at(count); ++i) ++sizes[i];
  return sizes;
}

std::vector<CoreSet> slices(const std::vector<int>& cores, const std::vector<int>& sizes) {
  std::vector<CoreSet> parts;
  auto from = cores.begin();
  for (const int size : sizes) {
    parts.emplace_back(from, from + size);
    from += size;
  }
  return parts;
}

/// The cores of several chiplets in an order in which every run of neighbours is spread over all of them by their
/// sizes: core j of n stands at (j + 1/2) / n. For equal chiplets this goes round them.
std::vector<int> interleaved(const Machine& machine, const std::vector<const Chiplet*>& chiplets) {
  struct Place {
    double position;
    int chiplet, core;
  };
  std::vector<Place> places;
  for (const Chiplet* chiplet : chiplets) {
    const auto cores = static_cast<double>(chiplet->cores.size());
    double j = 0.5;
    for (const int core : chiplet->cores) places.push_back({j++ / cores, chiplet->id, core});
  }
  std::sort(places.begin(), places.end(), [](const Place& a, const Place& b) {
    return std::pair(a.position, a.chiplet) < std::pair(b.position, b.chiplet);
  });
  std::vector<int> cores;
  cores.reserve(machine.cores.size());
  for (const Place& place : places) cores.push_back(place.core);
  return cores;
}

std::vector<CoreSet> by_chiplet(const Machine& machine, const Request& request) {
  std::vector<CoreSet> parts;
  for (std::size_t n = 0; n < machine.nodes.size(); ++n) {  // mixed workers stay within a node: its memory is theirs
    std::vector<const Chiplet*> chiplets;
    std::vector<int> sizes;
    std::vector<int> cores;
    for (const Chiplet& chiplet : machine.chiplets) {
      if (chiplet.node != static_cast<int>(n)) continue;
      if (static_cast<std::size_t>(request.per_chiplet) > chiplet.cores.size()) {
        throw Error(Errc::bad_input,
                    "chiplet " + std::to_string(chiplet.id) + " has " + base::counted(chiplet.cores.size(), "core") +
                        " to use and is to have " + std::to_string(request.per_chiplet) + " workers",
                    "give a smaller --per-chiplet, take --policy wic, or leave the chiplet out with --cpus");
      }
      chiplets.push_back(&chiplet);
      const auto more = sizes_of_parts(chiplet.cores.size(), request.per_chiplet);
      sizes.insert(sizes.end(), more.begin(), more.end());
      cores.insert(cores.end(), chiplet.cores.begin(), chiplet.cores.end());
    }
    if (request.shape == Shape::mixed) cores = interleaved(machine, chiplets);
    for (CoreSet& part : slices(cores, sizes)) parts.push_back(std::move(part));
  }
  return parts;
}

}  // namespace

Usable usable_part(const Host& host, const Request& request) {
  Usable usable{host.machine, {}};
  if (!usable.machine.forbidden_cpus.empty()) {
    usable.left_over.push_back(
        {usable.machine.forbidden_cpus, {}, "offline, or forbidden by the cgroup or the affinity mask"});
  }
  if (request.cpus) {
    const CpuSet beyond = *request.cpus - usable.machine.allowed_cpus;
    if (request.cpus->empty() || !beyond.empty()) {
      throw Error(Errc::bad_input,
                  request.cpus->empty() ? "--cpus names no cpu"
                                        : "--cpus: cpus " + beyond.to_text() + " of " + host.name + " may not be used",
                  "choose among " + usable.machine.allowed_cpus.to_text());
    }
    narrow(usable, *request.cpus, "not among --cpus");
  } else {
    narrow(usable, placement::without_low_power(usable.machine).allowed_cpus,
           "low-power cores, which get workers only if --cpus names them");
  }
  const double quota = usable.machine.cpu_quota;
  if (quota > 0 && quota < static_cast<double>(usable.machine.cores.size())) {
    std::vector<int> first;  // the fastest
    for (const auto& cores : placement::cores_by_kind(usable.machine)) {
      for (const Core* core : cores) first.push_back(core->id);
    }
    first.resize(at(std::max(1, static_cast<int>(std::floor(quota)))));
    narrow(usable, cpus_of(usable.machine, CoreSet(std::move(first))),
           "beyond the cgroup's quota of " + base::three_digits(quota) + " cpus of time");
  }
  if (request.leave_cores > 0) {
    if (at(request.leave_cores) >= usable.machine.cores.size()) {
      throw Error(Errc::bad_input,
                  "--leave-cores " + std::to_string(request.leave_cores) + ": " + host.name + " has " +
                      base::counted(usable.machine.cores.size(), "core") + " to use",
                  "leave fewer to the system");
    }
    narrow(usable, without_cores(usable.machine, request.leave_cores), "left to the system (--leave-cores)");
  }
  return usable;
}

std::vector<CoreSet> divide(const Machine& machine, const Request& request) {
  std::vector<CoreSet> parts;
  switch (request.policy) {
    case Policy::wim:
      parts.resize(1);
      for (const Core& core : machine.cores) parts.front().insert(core.id);
      break;
    case Policy::win:
      parts.resize(machine.nodes.size());
      for (const Core& core : machine.cores) parts[at(core.node)].insert(core.id);
      std::erase_if(parts, [](const CoreSet& part) { return part.empty(); });
      break;
    case Policy::wicp:
      parts = by_chiplet(machine, request);
      break;
    case Policy::wic:
      for (const Core& core : machine.cores) parts.push_back(CoreSet{core.id});
      break;
  }
  return parts;
}

}  // namespace charm::deploy
