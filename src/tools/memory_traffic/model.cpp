#include "tools/memory_traffic/model.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <set>

#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

[[noreturn]] void refuse_model(const std::string& name, const std::string& what) {
  throw Error(Errc::bad_input, name + ": " + what, "see docs/design/malloc.md for what a model file holds");
}

}  // namespace

std::vector<int> roots(const Model& model) {
  std::vector<int> found;
  for (std::size_t i = 0; i < model.domains.size(); ++i) {
    if (model.domains[i].os_node >= 0) found.push_back(static_cast<int>(i));
  }
  return found;
}

int root_of_node(const Model& model, int os_node) {
  for (const int root : roots(model)) {
    if (model.domains[at(root)].os_node == os_node) return root;
  }
  return -1;
}

int near_domain(const Model& model, int root) {
  for (int domain = root; domain >= 0; domain = model.domains[at(domain)].parent) {
    if (model.domains[at(domain)].level == Level::socket) return domain;
  }
  return root;
}

bool lies_in(const Model& model, int domain, int around) {
  while (domain >= 0 && domain != around) domain = model.domains[at(domain)].parent;
  return domain == around;
}

double read_latency(const Model& model, int root, const Memory& memory) {
  double ns = memory.latency_ns;
  for (int side : {root, memory.domain}) {
    const int other = side == root ? memory.domain : root;
    for (; side >= 0 && !lies_in(model, other, side); side = model.domains[at(side)].parent)
      ns += std::max(1.0, model.domains[at(side)].hop_ns);
  }
  return ns;
}

double demand_of(const Model& model, int cores) {
  return model.core_gb_per_s > 0 ? model.core_gb_per_s * cores : unlimited;
}

void check(const Model& model, const std::string& name) {
  if (model.domains.empty()) refuse_model(name, "no domains");
  if (model.memories.empty()) refuse_model(name, "no memories");
  if (!(model.core_gb_per_s >= 0) || !std::isfinite(model.core_gb_per_s)) refuse_model(name, "no usable core_gb_per_s");
  std::set<std::string> names;
  std::set<int> cpus;
  std::set<int> nodes;
  for (std::size_t i = 0; i < model.domains.size(); ++i) {
    const Domain& domain = model.domains[i];
    const std::string whose = "domain '" + domain.name + "'";
    if (domain.name.empty()) refuse_model(name, "a domain without a name");
    if (!names.insert(domain.name).second) refuse_model(name, whose + " is there twice");
    if ((i == 0) != (domain.parent < 0))
      refuse_model(name, whose + (i == 0 ? " is the first and lies in another" : " lies in none"));
    if (domain.parent >= static_cast<int>(i)) refuse_model(name, whose + " is listed before the one that it lies in");
    if (!(domain.out_gb_per_s > 0) || !(domain.in_gb_per_s > 0))
      refuse_model(name, whose + " has a bus without bandwidth");
    if (!(domain.hop_ns >= 0) || !std::isfinite(domain.hop_ns)) refuse_model(name, whose + " has no usable hop_ns");
    if (domain.os_node >= 0 && !cpus.insert(domain.os_node).second)
      refuse_model(name,
                   whose + " has the cpus of node " + std::to_string(domain.os_node) + ", which another has, too");
  }
  for (const Memory& memory : model.memories) {
    const std::string whose = "the memory of node " + std::to_string(memory.os_node);
    if (memory.os_node < 0) refuse_model(name, "a memory with a negative node");
    if (!nodes.insert(memory.os_node).second) refuse_model(name, whose + " is there twice");
    if (memory.domain < 0 || at(memory.domain) >= model.domains.size())
      refuse_model(name, whose + " lies in no domain");
    if (!(memory.gb_per_s > 0) || !std::isfinite(memory.gb_per_s))
      refuse_model(name, whose + " has no usable gb_per_s");
    if (!(memory.latency_ns >= 0) || !std::isfinite(memory.latency_ns))
      refuse_model(name, whose + " has no usable latency_ns");
  }
  if (cpus.empty()) refuse_model(name, "no domain has cpus");
  std::set<std::string> types;
  for (const LoadFit& load : model.loads) {
    const std::string whose = "the fit of '" + load.type + "'";
    if (load.type.empty()) refuse_model(name, "a fit of no type");
    if (!types.insert(load.type).second) refuse_model(name, whose + " is there twice");
    const std::vector<double>& all = load.fit.coefficients;
    if (all.empty() || !std::all_of(all.begin(), all.end(), [](double each) { return std::isfinite(each); }))
      refuse_model(name, whose + " has no usable coefficients");
    if (!(load.fit.lowest >= 0) || !(load.fit.highest >= load.fit.lowest) || !std::isfinite(load.fit.highest))
      refuse_model(name, whose + " has no usable traffic");
    if (!(load.fit(load.fit.lowest) > 0)) refuse_model(name, whose + " leaves nothing of a bus without traffic");
  }
}

Bandwidths capacities(const Model& model) {
  Bandwidths all;
  for (const Domain& domain : model.domains) {
    all.out.push_back(domain.out_gb_per_s);
    all.in.push_back(domain.in_gb_per_s);
  }
  for (const Memory& memory : model.memories) all.memory.push_back(memory.gb_per_s);
  return all;
}

double left_of(const Model& model, const std::string& type, double capacity, double used) {
  if (used <= 0 || capacity == unlimited) return capacity;
  const auto load = std::find_if(model.loads.begin(), model.loads.end(),
                                 [&](const LoadFit& each) { return !type.empty() && each.type == type; });
  if (load == model.loads.end()) return std::max(0.0, capacity - used);
  const double scale = capacity / load->fit(load->fit.lowest);
  return std::min(capacity, scale * load->fit(used / scale));
}

Bandwidths remaining(const Model& model, const Bandwidths& used) {
  Bandwidths left = capacities(model);
  for (std::size_t d = 0; d < model.domains.size(); ++d) {
    left.out[d] = left_of(model, model.domains[d].bus, left.out[d], used.out[d]);
    left.in[d] = left_of(model, model.domains[d].bus, left.in[d], used.in[d]);
  }
  for (std::size_t m = 0; m < model.memories.size(); ++m)
    left.memory[m] = left_of(model, model.memories[m].controller, left.memory[m], used.memory[m]);
  return left;
}

}  // namespace charm::memory_traffic
