#include "tools/memory_traffic/load_profiling.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <utility>

#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

/// Cores that reach less than this part of the bandwidth without load cannot show what a load takes away.
constexpr double filled = 0.9;
constexpr int steps = 8;

/// More digits were not measured.
double rounded(double value) {
  if (value == 0 || !std::isfinite(value)) return value;
  const double unit = std::pow(10.0, 4 - std::floor(std::log10(std::abs(value))));
  return std::round(value * unit) / unit;
}

class LoadProfiling {
 public:
  LoadProfiling(Model& model, const LoadProber& prober, double threshold,
                const std::function<void(const std::string&)>& doing)
      : model_(model), prober_(prober), threshold_(threshold), doing_(doing) {}

  void measure() {
    std::set<std::string> seen;
    for (std::size_t d = 1; d < model_.domains.size(); ++d) {
      const Domain& domain = model_.domains[d];
      if (domain.out_gb_per_s == unlimited || domain.bus.empty() || !seen.insert(domain.bus).second) continue;
      measure_type(domain.bus, "buses", domain.out_gb_per_s, ways_to_domain(static_cast<int>(d)));
    }
    for (std::size_t m = 0; m < model_.memories.size(); ++m) {
      const Memory& memory = model_.memories[m];
      if (memory.controller.empty() || !seen.insert(memory.controller).second) continue;
      measure_type(memory.controller, "controllers", memory.gb_per_s, ways_to_memory(static_cast<int>(m)));
    }
  }

 private:
  template <class Condition>
  [[nodiscard]] std::vector<int> nodes_where(Condition condition) const {
    std::vector<int> nodes;
    for (const int root : roots(model_)) {
      if (condition(root)) nodes.push_back(model_.domains[at(root)].os_node);
    }
    return nodes;
  }

  /// The same transfer with half of the cores as the load, and with a quarter where the others do not fill the bus.
  static void add_ways(std::vector<BusLoad>& ways, BusLoad load) {
    if (load.readers.empty() || load.memories.empty()) return;
    for (const double cores : {0.5, 0.25}) {
      load.cores = cores;
      ways.push_back(load);
    }
  }

  [[nodiscard]] std::vector<BusLoad> ways_to_domain(int domain) const {
    const int parent = model_.domains[at(domain)].parent;
    BusLoad load{.domain = domain};
    load.readers =
        nodes_where([&](int root) { return lies_in(model_, root, parent) && !lies_in(model_, root, domain); });
    for (const Memory& memory : model_.memories) {
      if (lies_in(model_, memory.domain, domain)) load.memories.push_back(memory.os_node);
    }
    std::vector<BusLoad> ways;
    add_ways(ways, load);
    return ways;
  }

  /// Read by the cpus in its own domain, else by those of the whole machine.
  [[nodiscard]] std::vector<BusLoad> ways_to_memory(int memory) const {
    const Memory& each = model_.memories[at(memory)];
    BusLoad load{.memories = {each.os_node}, .memory = memory};
    std::vector<BusLoad> ways;
    load.readers = nodes_where([&](int root) { return root == each.domain; });
    add_ways(ways, load);
    load.readers = nodes_where([](int) { return true; });
    add_ways(ways, load);
    return ways;
  }

  void measure_type(const std::string& type, const char* what, double capacity, const std::vector<BusLoad>& ways) {
    const std::string name = std::string("the ") + what + " of type '" + type + "'";
    if (doing_) doing_(name + " under load");
    for (BusLoad load : ways) {
      const auto idle = prober_(load);
      if (!idle || idle->gb_per_s < filled * capacity) continue;
      std::vector<LoadPoint> points = {*idle};
      for (int step = 1; step <= steps; ++step) {
        load.part = static_cast<double>(step) / steps;
        if (const auto point = prober_(load)) points.push_back(*point);
      }
      LoadFit found{type, fit(points, threshold_)};
      if (found.fit.error > threshold_)
        model_.notes.push_back(name + " under load: no polynomial is closer than " +
                               std::to_string(std::lround(100 * found.fit.error)) + " %");
      for (double& coefficient : found.fit.coefficients) coefficient = rounded(coefficient);
      for (double* number : {&found.fit.lowest, &found.fit.highest}) *number = rounded(*number);
      found.fit.error = std::round(found.fit.error * 1e4) / 1e4;
      model_.loads.push_back(std::move(found));
      return;
    }
    model_.notes.push_back(name + " were not measured under load, because too few cores can fill one: what is left" +
                           " counts as the bandwidth less what is carried");
  }

  Model& model_;
  const LoadProber& prober_;
  double threshold_;
  const std::function<void(const std::string&)>& doing_;
};

}  // namespace

void measure_under_load(Model& model, const LoadProber& prober, double threshold,
                        const std::function<void(const std::string&)>& doing) {
  model.loads.clear();
  if (model.memories.size() > 1) LoadProfiling(model, prober, threshold, doing).measure();
}

}  // namespace charm::memory_traffic
