#include "controller/memory_bandwidth.hpp"

#include <algorithm>
#include <cstdio>
#include <map>

namespace charm::controller {
namespace {

constexpr double as_much = 0.97;  // of the most: measurements of saturated memory differ by as much

double rate_of(const Machine& machine, const std::vector<WorkerCore>& worker_cores, const Traits& traits) {
  std::map<int, int> load;  // workers by chiplet
  for (const WorkerCore& worker_core : worker_cores) ++load[worker_core.chiplet];
  std::map<int, double> wanted;  // by node
  for (const auto& [chiplet, workers] : load) {
    if (chiplet < 0) return 0;  // workers that are not bound
    double rate = traits.link_gb_per_s;
    if (traits.core_gb_per_s > 0) rate = std::min(rate, traits.core_gb_per_s * workers);
    wanted[machine.chiplets[static_cast<std::size_t>(chiplet)].node] += rate;
  }
  double sum = 0;
  for (const auto& [node, rate] : wanted) sum += std::min(rate, traits.node_gb_per_s);
  return sum;
}

}  // namespace

std::vector<double> memory_rates(const Machine& machine, const placement::Placement& placement, const Traits& traits) {
  std::vector<double> rates;
  for (const auto& worker_cores : placement.worker_cores) rates.push_back(rate_of(machine, worker_cores, traits));
  return rates;
}

int saturating_level(const std::vector<double>& rates) {
  const double most = rates.empty() ? 0 : *std::max_element(rates.begin(), rates.end());
  const auto enough = std::find_if(rates.begin(), rates.end(), [&](double rate) { return rate >= as_much * most; });
  return static_cast<int>(enough - rates.begin());
}

std::string bandwidth_reason(const Setup& setup, int home, int level, double gb_per_s) {
  const auto h = static_cast<std::size_t>(home), l = static_cast<std::size_t>(level);
  char line[192];
  std::snprintf(line, sizeof line, "%.0f GB/s from memory of at most %.0f by %d chiplet%s, %.0f by %d, %s", gb_per_s,
                setup.memory_gb_per_s[h], setup.levels[h], setup.levels[h] == 1 ? "" : "s", setup.memory_gb_per_s[l],
                setup.levels[l], setup.traits.rates_source.c_str());
  return line;
}

}  // namespace charm::controller
