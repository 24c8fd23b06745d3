#include "tools/memory_traffic/profiling.hpp"

#include <algorithm>
#include <utility>

#include "tools/memory_traffic/index.hpp"
#include "tools/memory_traffic/shared.hpp"

namespace charm::memory_traffic {
namespace {

/// A bus counts as the bottleneck if it carries less than this part of what else would limit the transfer.
constexpr double narrow = 0.9;

class Profiling {
 public:
  Profiling(const Model& levels, const Prober& prober, const std::function<void(const std::string&)>& doing)
      : model_(levels), prober_(prober), doing_(doing) {
    for (Domain& domain : model_.domains) {
      domain.out_gb_per_s = unlimited;
      domain.in_gb_per_s = unlimited;
      domain.hop_ns = 0;
    }
    model_.core_gb_per_s = 0;
    model_.notes.clear();
  }

  Model measured() {
    for (Memory& memory : model_.memories) measure(memory);
    // Inner domains first: what their buses carry belongs to what is known when the outer ones are judged.
    for (std::size_t d = model_.domains.size(); d-- > 1;) measure_hop(static_cast<int>(d));
    for (std::size_t d = model_.domains.size(); d-- > 1;) measure_bus(static_cast<int>(d));
    return model_;
  }

 private:
  void say(const std::string& text) const {
    if (doing_) doing_(text);
  }

  [[nodiscard]] std::vector<int> roots_where(const std::function<bool(int)>& condition) const {
    std::vector<int> found;
    for (const int root : roots(model_)) {
      if (condition(root)) found.push_back(root);
    }
    return found;
  }
  [[nodiscard]] std::vector<int> cpus_of(const std::vector<int>& some_roots) const {
    std::vector<int> nodes;
    for (const int root : some_roots) nodes.push_back(model_.domains[at(root)].os_node);
    return nodes;
  }

  /// The root that is nearest: in the memory's own domain, or in the first domain around it that has one.
  [[nodiscard]] int nearest_root(const Memory& memory) const {
    for (int domain = memory.domain; domain >= 0; domain = model_.domains[at(domain)].parent) {
      const auto inside = roots_where([&](int root) { return lies_in(model_, root, domain); });
      if (!inside.empty()) return inside.front();
    }
    return roots(model_).front();
  }

  void measure(Memory& memory) {
    say("the memory of node " + std::to_string(memory.os_node));
    const int root = nearest_root(memory);
    const int reader = model_.domains[at(root)].os_node;
    memory.gb_per_s = prober_.gb_per_s({reader}, {memory.os_node});
    // One node's cpus may not be enough to keep a controller busy.
    const auto all = roots_where([](int) { return true; });
    if (all.size() > 1) memory.gb_per_s = std::max(memory.gb_per_s, prober_.gb_per_s(cpus_of(all), {memory.os_node}));
    memory.latency_ns = prober_.latency_ns(reader, memory.os_node);
    nearest_ns_.push_back(memory.latency_ns);
    if (memory.domain == root)
      model_.core_gb_per_s = std::max(model_.core_gb_per_s, prober_.core_gb_per_s(reader, memory.os_node));
  }

  /// What a read costs more that crosses the bus of `domain` and that of a neighbour, half of it for each.
  void measure_hop(int domain) {
    const int parent = model_.domains[at(domain)].parent;
    double least = 0;
    for (const int root : roots_where([&](int each) { return lies_in(model_, each, domain); })) {
      for (const Memory& memory : model_.memories) {
        if (!lies_in(model_, memory.domain, parent) || lies_in(model_, memory.domain, domain)) continue;
        const double known = read_latency(model_, root, memory);
        const double more = prober_.latency_ns(model_.domains[at(root)].os_node, memory.os_node) - known;
        // A bus that nothing is known of counts as 1 ns in what is known.
        const double hop = memory.domain == parent ? more + 1 : more / 2 + 1;
        if (hop > 1 && (least == 0 || hop < least)) least = hop;
      }
    }
    hops_.emplace_back(domain, least);
    // Siblings are measured against each other without their own hops; all of a level are set together.
    const bool last_of_siblings = std::none_of(model_.domains.begin() + 1, model_.domains.begin() + domain,
                                               [&](const Domain& other) { return other.parent == parent; });
    if (!last_of_siblings) return;
    for (const auto& [each, hop] : hops_) {
      if (model_.domains[at(each)].parent == parent) model_.domains[at(each)].hop_ns = hop;
    }
    // Memory that is attached to an outer domain was measured through the bus of an inner one.
    for (std::size_t m = 0; m < model_.memories.size(); ++m) {
      Memory& memory = model_.memories[m];
      const double way = read_latency(model_, nearest_root(memory), memory) - memory.latency_ns;
      memory.latency_ns = std::max(0.0, nearest_ns_[m] - way);
    }
  }

  void measure_bus(int domain) {
    const int parent = model_.domains[at(domain)].parent;
    const auto is_inside = [&](int each) { return lies_in(model_, each, domain); };
    const auto is_outside = [&](int each) { return lies_in(model_, each, parent) && !is_inside(each); };
    std::vector<int> inner;
    for (const Memory& memory : model_.memories) {
      if (is_inside(memory.domain)) inner.push_back(memory.os_node);
    }
    Domain& bus = model_.domains[at(domain)];
    say("the bus of " + bus.name);
    bus.out_gb_per_s = judged(roots_where(is_outside), inner);
  }

  /// The measured bandwidth where it is less than everything that is known allows; else unlimited.
  [[nodiscard]] double judged(const std::vector<int>& readers, const std::vector<int>& memories) const {
    if (readers.empty() || memories.empty()) return unlimited;
    const double measured = prober_.gb_per_s(cpus_of(readers), memories);
    std::vector<Reader> shares;
    for (const int root : readers) shares.push_back({root, 1.0 / static_cast<double>(readers.size())});
    Weights weights;
    for (const Memory& memory : model_.memories)
      weights.push_back(std::find(memories.begin(), memories.end(), memory.os_node) != memories.end() ? 1 : 0);
    double expected = shared_rate(model_, capacities(model_), shares, weights);
    if (model_.core_gb_per_s > 0 && prober_.cores_of_a_node > 0)
      expected = std::min(expected, demand_of(model_, prober_.cores_of_a_node) * static_cast<double>(readers.size()));
    return measured < narrow * expected ? measured : unlimited;
  }

  Model model_;
  const Prober& prober_;
  const std::function<void(const std::string&)>& doing_;
  std::vector<std::pair<int, double>> hops_;
  std::vector<double> nearest_ns_;  // by memory: a read by the cpus that are nearest
};

}  // namespace

Model measured_model(const Model& levels, const Prober& prober, const std::function<void(const std::string&)>& doing) {
  return Profiling(levels, prober, doing).measured();
}

}  // namespace charm::memory_traffic
