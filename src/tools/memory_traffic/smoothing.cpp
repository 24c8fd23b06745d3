#include "tools/memory_traffic/smoothing.hpp"

#include <algorithm>
#include <cmath>

#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

/// Calls visit(a, b, ...) for each bandwidth of the same bus in all of the arguments.
template <class Visit, class... Each>
void for_each_bandwidth(Visit visit, Each&... each) {
  const auto member = [&](auto pointer) {
    const std::size_t count = std::min({(each.*pointer).size()...});
    for (std::size_t i = 0; i < count; ++i) visit((each.*pointer)[i]...);
  };
  member(&Bandwidths::out);
  member(&Bandwidths::in);
  member(&Bandwidths::memory);
}

Bandwidths nothing(const Model& model) {
  Bandwidths zero;
  zero.out.assign(model.domains.size(), 0);
  zero.in.assign(model.domains.size(), 0);
  zero.memory.assign(model.memories.size(), 0);
  return zero;
}

}  // namespace

Bandwidths flow_on_buses(const Model& model, int root, const Weights& gb_per_s) {
  Bandwidths flow = nothing(model);
  for (std::size_t m = 0; m < model.memories.size(); ++m) {
    flow.memory[m] += gb_per_s[m];
    for (std::size_t d = 1; d < model.domains.size(); ++d) {
      const bool memory_inside = lies_in(model, model.memories[m].domain, static_cast<int>(d));
      const bool root_inside = lies_in(model, root, static_cast<int>(d));
      if (memory_inside && !root_inside) flow.out[d] += gb_per_s[m];
      if (!memory_inside && root_inside) flow.in[d] += gb_per_s[m];
    }
  }
  return flow;
}

TrafficView::TrafficView(const Model& model, Smoothing smoothing)
    : capacity_(capacities(model)), smoothing_(smoothing), average_(nothing(model)), passed_on_(nothing(model)) {}

void TrafficView::add(const Bandwidths& reading, const Bandwidths& own) {
  const double part = empty_ ? 1 : smoothing_.part;
  empty_ = false;
  for_each_bandwidth(
      [&](double& average, const double& now, const double& mine) {
        const double others = smoothing_.subtract_own ? std::max(0.0, now - mine) : now;
        average += part * (others - average);
      },
      average_, reading, own);
  bool changed = false;
  for_each_bandwidth(
      [&](const double& known, const double& average, const double& capacity) {
        const double size = capacity == unlimited ? std::max(known, average) : capacity;
        changed = changed || std::abs(average - known) > smoothing_.hysteresis * size;
        // Traffic that has ended leaves nothing behind.
        changed = changed || (known > 0 && average < smoothing_.hysteresis / 10 * size);
      },
      passed_on_, average_, capacity_);
  if (!changed) return;
  passed_on_ = average_;
  for_each_bandwidth(
      [&](double& known, const double& capacity) {
        const double size = capacity == unlimited ? 0 : capacity;
        if (known < smoothing_.hysteresis / 10 * size) known = 0;
      },
      passed_on_, capacity_);
  ++changes_;
}

}  // namespace charm::memory_traffic
