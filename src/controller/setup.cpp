#include "controller/setup.hpp"

#include <algorithm>
#include <map>

namespace charm::controller {
namespace {

/// The chiplets of those who arrive fill in parallel, each over its own link and at most to its size.
double refill_seconds(const Machine& machine, const std::vector<WorkerCore>& from, const std::vector<WorkerCore>& to,
                      double link) {
  std::map<int, int> load, arrivals;
  for (std::size_t w = 0; w < to.size(); ++w) {
    ++load[to[w].chiplet];
    if (to[w].chiplet != from[w].chiplet) ++arrivals[to[w].chiplet];
  }
  double longest = 0;
  for (auto [chiplet, count] : arrivals) {
    if (chiplet < 0) continue;
    auto bytes = static_cast<double>(machine.chiplets[static_cast<std::size_t>(chiplet)].l3_bytes);
    longest = std::max(longest, bytes * count / load[chiplet] / (link * 1e9));
  }
  return longest;
}

}  // namespace

Setup setup_for(const Machine& machine, const placement::Placement& placement, const Traits& traits) {
  Setup setup;
  setup.workers = static_cast<int>(placement.start().size());
  setup.levels = placement.levels;
  setup.initial = placement.initial;
  setup.traits = traits;
  for (const auto& from : placement.worker_cores) {
    setup.refill_s.emplace_back();
    for (const auto& to : placement.worker_cores) {
      setup.refill_s.back().push_back(refill_seconds(machine, from, to, traits.link_gb_per_s));
    }
  }
  return setup;
}

}  // namespace charm::controller
