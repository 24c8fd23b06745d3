// A model without a model file: what the machine's description tells of its memories. Each number comes from the best
// source that has it: measured by `charm probe`, told by the firmware (HMAT), guessed from the kernel's distances. A
// note says what was guessed.
#include <algorithm>

#include "tools/memory_traffic/index.hpp"
#include "tools/memory_traffic/model.hpp"

namespace charm::memory_traffic {
namespace {

constexpr double guessed_gb_per_s = 20;  // of a controller; alike everywhere, so only the ratios matter
constexpr double guessed_local_ns = 100;
/// Of far memory to a node's own: a CXL device of published figures gave 17.6 of 100 GB/s.
constexpr double guessed_far_part = 0.2;

using Nodes = std::vector<const Node*>;

Nodes nodes_where(const Machine& machine, auto condition) {
  Nodes found;
  for (const Node& node : machine.nodes) {
    if (condition(node)) found.push_back(&node);
  }
  return found;
}

double measured_ns(const Machine& machine, const Node& from, const Node& to) {
  const auto& table = machine.measured.memory_latency_ns;
  if (at(from.id) >= table.size() || at(to.id) >= table[at(from.id)].size()) return 0;
  return table[at(from.id)][at(to.id)];
}

double local_ns(const Machine& machine, const Node& node) {
  if (const double ns = measured_ns(machine, node, node); ns > 0) return ns;
  return node.firmware_latency_ns > 0 ? node.firmware_latency_ns : guessed_local_ns;
}

/// A load by the cpus of a node from the memory of another. Where it was not measured, from the kernel's table, in
/// which 10 stands for a local access; 0 where that is missing, too.
double load_ns(const Machine& machine, const Node& from, const Node& to) {
  if (const double ns = measured_ns(machine, from, to); ns > 0 && measured_ns(machine, from, from) > 0) return ns;
  if (machine.node_distance.empty()) return 0;
  const double local = machine.node_distance[at(from.id)][at(from.id)];
  if (local <= 0) return 0;
  return local_ns(machine, from) * machine.node_distance[at(from.id)][at(to.id)] / local;
}

/// What the bus around `inside` adds to a read: the nearest memory on its other side, less the reader's own. What
/// memory without cpus takes longer is its own latency.
double hop_of(const Machine& machine, const Nodes& inside, const Nodes& outside) {
  double hop = 0;
  const auto look = [&](const Node& from, const Node& to) {
    if (from.cpus.empty() || to.cpus.empty()) return;
    const double more = load_ns(machine, from, to) - local_ns(machine, from);
    if (more > 0 && (hop == 0 || more < hop)) hop = more;
  };
  for (const Node* in : inside) {
    for (const Node* out : outside) {
      look(*in, *out);
      look(*out, *in);
    }
  }
  return hop / 2;  // the way leads through the buses of both
}

/// Latency of memory without cpus (CXL, HBM), as the nearest cpus have it.
double far_ns(const Machine& machine, const Node& node) {
  double least = 0;
  for (const Node& from : machine.nodes) {
    const double ns = from.cpus.empty() ? 0 : load_ns(machine, from, node);
    if (ns > 0 && (least == 0 || ns < least)) least = ns;
  }
  if (least > 0) return least;
  return node.firmware_latency_ns > 0 ? node.firmware_latency_ns : 2 * guessed_local_ns;
}

/// Bandwidths of the memories' controllers.
class Controllers {
 public:
  Controllers(const Machine& machine, const Nodes& memories) {
    double near = 0;
    double count = 0;
    double sum = 0;
    for (const Node* node : memories) {
      if (node->cpus.empty()) continue;
      ++near;
      if (node->firmware_gb_per_s <= 0) continue;
      ++count;
      sum += node->firmware_gb_per_s;
    }
    measured_ = machine.measured.node_memory_gb_per_s;
    if (measured_ <= 0 && near > 0) measured_ = machine.measured.memory_gb_per_s / near;
    if (count > 0) by_firmware_ = sum / count;
  }

  double of(const Node& node) {
    if (!node.cpus.empty()) {
      if (measured_ > 0) return measured_;
      return node.firmware_gb_per_s > 0 ? node.firmware_gb_per_s : usual();
    }
    if (node.firmware_gb_per_s > 0 && by_firmware_ > 0) return usual() * node.firmware_gb_per_s / by_firmware_;
    if (node.kind == "HBM" || node.kind == "DRAM") {
      guessed_alike_ = true;
      return usual();
    }
    guessed_far_ = true;
    return usual() * guessed_far_part;
  }

  [[nodiscard]] std::vector<std::string> notes() const {
    std::vector<std::string> all;
    if (measured_ <= 0)
      all.emplace_back(by_firmware_ > 0 ? "no bandwidth was measured: the memories' are what the firmware says"
                       : guessed_far_   ? "no bandwidth was measured: the nodes' own memories count alike"
                                        : "no bandwidth was measured: all memories count alike");
    if (guessed_far_)
      all.emplace_back("the bandwidth of memory without cpus is unknown: a fifth of a node's own is assumed");
    if (guessed_alike_ && (measured_ > 0 || by_firmware_ > 0))
      all.emplace_back("the bandwidth of memory without cpus is unknown: as much as of a node's own is assumed");
    return all;
  }

 private:
  /// Of a node's own memory.
  [[nodiscard]] double usual() const {
    if (measured_ > 0) return measured_;
    return by_firmware_ > 0 ? by_firmware_ : guessed_gb_per_s;
  }

  double measured_ = 0;
  double by_firmware_ = 0;
  bool guessed_far_ = false;
  bool guessed_alike_ = false;
};

/// What one core reads of its node's memory at most; 0 where it was not measured.
double core_gb_per_s(const Machine& machine) {
  double most = 0;
  const auto& table = machine.measured.node_gb_per_s;
  for (std::size_t n = 0; n < table.size() && n < table[n].size(); ++n) most = std::max(most, table[n][n]);
  return most;
}

bool is_of_a_gpu(const Node& node) { return node.kind == "GPU" && node.cpus.empty(); }

/// The nodes on which a program's blocks may lie.
Nodes memories_of(const Machine& machine) {
  Nodes sized = nodes_where(machine, [](const Node& node) { return node.bytes > 0 && !is_of_a_gpu(node); });
  if (!sized.empty()) return sized;
  return nodes_where(machine, [](const Node& node) { return !is_of_a_gpu(node); });  // no sizes are known
}

int add_domain(Model& model, Domain domain) {
  model.domains.push_back(std::move(domain));
  return static_cast<int>(model.domains.size()) - 1;
}

}  // namespace

Model model_of(const Machine& machine) {
  Model model;
  model.name = machine.name;
  model.date = machine.measured.date;
  model.core_gb_per_s = core_gb_per_s(machine);
  add_domain(model, {.name = "machine", .level = Level::machine});
  std::vector<int> socket_domain;
  for (const Socket& socket : machine.sockets) {
    const auto inside = nodes_where(machine, [&](const Node& node) { return node.socket == socket.id; });
    const auto outside = nodes_where(machine, [&](const Node& node) { return node.socket != socket.id; });
    socket_domain.push_back(add_domain(model, {.name = "socket" + std::to_string(socket.id),
                                               .level = Level::socket,
                                               .parent = 0,
                                               .hop_ns = hop_of(machine, inside, outside),
                                               .bus = "socket"}));
  }
  const Nodes memories = memories_of(machine);
  Controllers controllers(machine, memories);
  for (const Node& node : machine.nodes) {
    const int around = node.socket < 0 ? 0 : socket_domain[at(node.socket)];
    int domain = around;
    if (!node.cpus.empty()) {
      const auto others =
          nodes_where(machine, [&](const Node& other) { return other.socket == node.socket && other.id != node.id; });
      domain = add_domain(model, {.name = "node" + std::to_string(node.os_index),
                                  .level = Level::node,
                                  .parent = around,
                                  .hop_ns = hop_of(machine, {&node}, others),
                                  .bus = "die",
                                  .os_node = node.os_index});
    }
    if (std::find(memories.begin(), memories.end(), &node) == memories.end()) continue;
    model.memories.push_back({node.os_index, domain, controllers.of(node),
                              node.cpus.empty() ? far_ns(machine, node) : local_ns(machine, node),
                              node.cpus.empty() ? "far memory" : "memory"});
  }
  std::sort(model.memories.begin(), model.memories.end(),
            [](const Memory& a, const Memory& b) { return a.os_node < b.os_node; });
  model.notes = controllers.notes();
  model.notes.emplace_back("no bus was measured: none limits a transfer");
  if (std::any_of(machine.nodes.begin(), machine.nodes.end(), is_of_a_gpu))
    model.notes.emplace_back("memory of GPUs is left to the programs that run there");
  return model;
}

}  // namespace charm::memory_traffic
