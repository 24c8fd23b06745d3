// Traffic by uncore counters. A counter belongs to a unit (a memory controller, a link, a home agent) and to the cpu by
// which it is opened. Units of a die (HiSilicon) belong to the cpu's node. If one cpu opens all units of a socket (AMD,
// Intel), they are assigned to the socket's nodes in order.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <set>
#include <tuple>
#include <utility>

#include "base/format.hpp"
#include "counters/catalogue.hpp"
#include "tools/memory_traffic/index.hpp"
#include "tools/memory_traffic/source_kinds.hpp"
#include "tools/memory_traffic/uncore_device.hpp"
#include "tools/memory_traffic/uncore_rows.hpp"

namespace charm::memory_traffic {
namespace {

struct Counter {
  int descriptor = -1;
  const UncoreRow* row = nullptr;
  std::size_t device = 0;  // by their order
  int instance = 0;        // of the row's events
  const Node* node = nullptr;
  double bytes = 64;
  os::UncoreCount before = {};
  double gb_per_s = 0;
  std::size_t target = 0;  // index in the bandwidths that the row carries
};

bool has_word(std::string_view list, std::string_view word) {
  for (std::size_t at = list.find(word); at != std::string_view::npos; at = list.find(word, at + 1)) {
    const bool begins = at == 0 || list[at - 1] == ' ';
    const bool ends = at + word.size() == list.size() || list[at + word.size()] == ' ';
    if (begins && ends) return true;
  }
  return false;
}

const Node* node_of_cpu(const Machine& machine, int cpu) {
  for (const Node& node : machine.nodes) {
    if (node.cpus.contains(cpu)) return &node;
  }
  return nullptr;
}

class UncoreSource : public TrafficSource {
 public:
  UncoreSource(const Surroundings& around, std::string_view source) : around_(around), source_(source) {}
  ~UncoreSource() override {
    for (const Counter& counter : counters_) around_.events->close(counter.descriptor);
  }

  /// \return why nothing is counted; empty where something is.
  std::string open() {
    const std::vector<UncoreDevice> devices = uncore_devices(around_.root);
    const counters::CpuModel* cpu = counters::model_of(around_.cpu);
    std::map<Carries, std::string_view> unit_of;
    for (const UncoreRow& row : uncore_rows()) {
      if (row.source != source_ || (!row.cpus.empty() && (cpu == nullptr || !has_word(row.cpus, cpu->name)))) continue;
      const auto known = unit_of.find(row.carries);
      if (known != unit_of.end() && known->second != row.unit) continue;
      for (std::size_t d = 0; d < devices.size(); ++d) {
        if (devices[d].kind == row.unit && open(row, devices[d], d)) unit_of[row.carries] = row.unit;
      }
    }
    if (counters_.empty()) return why_not(devices);
    place();
    for (Counter& counter : counters_)
      counter.before = around_.events->read(counter.descriptor).value_or(counter.before);
    return "";
  }

  Bandwidths read(double /*now_s*/) override {
    Bandwidths carried = no_traffic(*around_.model);
    for (Counter& counter : counters_) {
      if (const auto now = around_.events->read(counter.descriptor)) {
        // Bytes in a nanosecond are GB/s. An event that had no counter meanwhile keeps its last value.
        const std::uint64_t running = now->running_ns - counter.before.running_ns;
        if (running > 0)
          counter.gb_per_s =
              static_cast<double>(now->value - counter.before.value) * counter.bytes / static_cast<double>(running);
        counter.before = *now;
      }
      auto& where = counter.row->carries == Carries::memory        ? carried.memory
                    : counter.row->carries == Carries::into_socket ? carried.in
                                                                   : carried.out;
      if (counter.target < where.size()) where[counter.target] += counter.gb_per_s;
    }
    return carried;
  }

  [[nodiscard]] std::string description() const override {
    std::set<std::string> units;
    std::set<int> sockets;
    for (const Counter& counter : counters_) {
      units.emplace(counter.row->unit);
      sockets.insert(counter.node->socket);
    }
    std::string names;
    for (const std::string& unit : units) names += (names.empty() ? "" : ", ") + unit;
    return base::counted(counters_.size(), "event") + " of " + names + " on " + base::counted(sockets.size(), "socket");
  }

  [[nodiscard]] std::vector<std::string> notes() const override { return notes_; }

 private:
  /// \return whether any instance was opened.
  bool open(const UncoreRow& row, const UncoreDevice& device, std::size_t number) {
    bool any = false;
    for (const int cpu : device.cpus) {
      const Node* node = node_of_cpu(*around_.machine, cpu);
      if (node == nullptr) continue;  // of a part of the machine that is not ours
      for (int i = 0; i < row.count; ++i) {
        const auto named = device.named.find(std::string(row.named));
        const bool by_name = !row.named.empty() && named != device.named.end();
        const auto event = encoded(device, by_name ? std::string_view(named->second) : terms_of(row, i));
        const int descriptor = event ? around_.events->open(*event, cpu) : -EINVAL;
        if (descriptor < 0) {
          error_ = -descriptor;
          continue;
        }
        const auto bytes = device.bytes.find(std::string(row.named));
        counters_.push_back({.descriptor = descriptor,
                             .row = &row,
                             .device = number,
                             .instance = i,
                             .node = node,
                             .bytes = by_name && bytes != device.bytes.end() ? bytes->second : row.bytes});
        any = true;
      }
    }
    return any;
  }

  /// Which memory or bus each counter tells of.
  void place() {
    const Model& model = *around_.model;
    using Unit = std::pair<std::size_t, int>;  // device and instance
    std::map<int, std::set<Unit>> units;       // of memory, by socket
    for (const Counter& counter : counters_) {
      if (counter.row->carries != Carries::memory) continue;
      units[counter.node->socket].insert({counter.device, counter.instance});
    }
    const auto memory_of = [&](int os_node) {
      for (std::size_t m = 0; m < model.memories.size(); ++m) {
        if (model.memories[m].os_node == os_node) return m;
      }
      return model.memories.size();
    };
    for (Counter& counter : counters_) {
      const int root = root_of_node(model, counter.node->os_index);
      const int socket = root < 0 ? -1 : near_domain(model, root);
      switch (counter.row->carries) {
        case Carries::memory: {
          const int id = counter.node->socket;
          int os_node = counter.node->os_index;
          if (is_of_socket(*counter.row)) {
            std::vector<int> nodes;  // of the socket, with cpus and memory
            for (const Node& node : around_.machine->nodes) {
              if (node.socket == id && !node.cpus.empty() && memory_of(node.os_index) < model.memories.size())
                nodes.push_back(node.os_index);
            }
            const auto& all = units[id];
            const auto at =
                static_cast<std::size_t>(std::distance(all.begin(), all.find({counter.device, counter.instance})));
            if (!nodes.empty()) os_node = nodes[at * nodes.size() / all.size()];
            if (nodes.size() > 1)
              note("which memory controller belongs to which node of a socket is taken from their order");
          }
          counter.target = memory_of(os_node);
          break;
        }
        case Carries::into_socket:
        case Carries::out_of_socket:
          counter.target = socket < 0 ? model.domains.size() : at(socket);
          break;
        case Carries::out_of_node:
          counter.target = root < 0 || root == socket ? model.domains.size() : at(root);
          break;
      }
    }
    bool buses = false;
    for (const Counter& counter : counters_) buses = buses || counter.row->carries != Carries::memory;
    if (!buses) note("the buses between sockets and nodes are not counted here: only memories are");
    if (units.empty()) note("the memories are not counted here: only buses are");
  }

  [[nodiscard]] std::string why_not(const std::vector<UncoreDevice>& devices) const {
    std::set<std::string_view> wanted;
    bool there = false;
    for (const UncoreRow& row : uncore_rows()) {
      if (row.source != source_) continue;
      wanted.insert(row.unit);
      there = there || std::any_of(devices.begin(), devices.end(),
                                   [&](const UncoreDevice& device) { return device.kind == row.unit; });
    }
    std::string names;
    for (const std::string_view unit : wanted) names += (names.empty() ? "" : " or ") + std::string(unit);
    if (!there)
      return "the kernel has no unit " + names + " here" + (around_.access.guest ? " (a virtual machine)" : "");
    if (error_ == EACCES || error_ == EPERM) {
      return "the kernel refuses " + names + " (perf_event_paranoid is " +
             (around_.access.paranoid ? std::to_string(*around_.access.paranoid) : std::string("unknown")) +
             "; it takes 0 or less, or CAP_PERFMON)";
    }
    return "the kernel takes none of the events of " + names +
           (error_ != 0 ? " (" + std::string(std::strerror(error_)) + ")" : " that are known of this processor");
  }

  void note(const char* text) {
    if (std::find(notes_.begin(), notes_.end(), text) == notes_.end()) notes_.emplace_back(text);
  }

  Surroundings around_;
  std::string_view source_;
  std::vector<Counter> counters_;
  std::vector<std::string> notes_;
  int error_ = 0;  // of the last event that was refused
};

}  // namespace

SourceOrReason open_uncore(const Surroundings& around, std::string_view source) {
  auto opened = std::make_unique<UncoreSource>(around, source);
  const std::string why_not = opened->open();
  if (!why_not.empty()) return {nullptr, why_not};
  return {std::move(opened), ""};
}

}  // namespace charm::memory_traffic
