// Traffic by the kernel's memory bandwidth monitoring: for each last-level cache the bytes that its cores moved, and
// how many of them to and from their own node's memory. The kernel does not say where the rest went: it is divided
// evenly among the memories of the other sockets, or of the other nodes if there is one socket.
#include <algorithm>
#include <charconv>
#include <filesystem>
#include <map>
#include <optional>
#include <system_error>

#include "base/format.hpp"
#include "os/files/system_files.hpp"
#include "tools/memory_traffic/index.hpp"
#include "tools/memory_traffic/source_kinds.hpp"

namespace charm::memory_traffic {
namespace {

namespace fs = std::filesystem;

struct CacheDomain {
  const Node* node = nullptr;
  double total = 0, local = 0;  // bytes so far, of all groups
};

class ResctrlSource : public TrafficSource {
 public:
  explicit ResctrlSource(const Surroundings& around)
      : around_(around), folder_(os::path_below(around.root, "sys/fs/resctrl")) {}

  std::string open() {
    std::error_code ignored;
    if (!fs::exists(fs::path(folder_) / "mon_data", ignored))
      return "no bandwidth monitoring is mounted (mount -t resctrl resctrl /sys/fs/resctrl, where the processor has "
             "it)";
    before_ = bytes();
    if (before_.empty()) return "/sys/fs/resctrl counts no bandwidth of a cache that this process may use";
    return "";
  }

  Bandwidths read(double now_s) override {
    const std::map<int, CacheDomain> now = bytes();
    Bandwidths carried = no_traffic(*around_.model);
    const double seconds = now_s - before_s_;
    if (before_s_ >= 0 && seconds > 0) {
      for (const auto& [id, domain] : now) {
        const auto old = before_.find(id);
        if (old == before_.end()) continue;
        // Groups come and go, and what they had counted with them.
        const double total = std::max(0.0, domain.total - old->second.total) / seconds / 1e9;
        const double local = std::clamp((domain.local - old->second.local) / seconds / 1e9, 0.0, total);
        add(carried, *domain.node, local, total - local);
      }
    }
    before_ = now;
    before_s_ = now_s;
    return carried;
  }

  [[nodiscard]] std::string description() const override {
    return "memory bandwidth monitoring of " + base::counted(before_.size(), "last-level cache");
  }
  [[nodiscard]] std::vector<std::string> notes() const override {
    return {"what a cache moves to and from other nodes' memory counts as evenly spread over them"};
  }

 private:
  void add(Bandwidths& carried, const Node& node, double local, double elsewhere) const {
    const Model& model = *around_.model;
    const int root = root_of_node(model, node.os_index);
    if (root < 0) return;
    const int socket = near_domain(model, root);
    std::vector<std::size_t> others;
    for (const bool same_socket : {false, true}) {
      if (!others.empty()) break;
      for (std::size_t m = 0; m < model.memories.size(); ++m) {
        if (model.memories[m].os_node != node.os_index &&
            lies_in(model, model.memories[m].domain, socket) == same_socket)
          others.push_back(m);
      }
    }
    for (std::size_t m = 0; m < model.memories.size(); ++m) {
      const bool own = model.memories[m].os_node == node.os_index;
      const bool far = std::find(others.begin(), others.end(), m) != others.end();
      const double part = own ? local : far ? elsewhere / static_cast<double>(others.size()) : 0;
      if (part <= 0) continue;
      carried.memory[m] += part;
      for (std::size_t d = 1; d < model.domains.size(); ++d) {
        const bool memory_inside = lies_in(model, model.memories[m].domain, static_cast<int>(d));
        const bool root_inside = lies_in(model, root, static_cast<int>(d));
        if (memory_inside && !root_inside) carried.out[d] += part;
        if (!memory_inside && root_inside) carried.in[d] += part;
      }
    }
  }

  /// By the cache's id. The bytes of all groups: the root's tells only of those in no other.
  std::map<int, CacheDomain> bytes() {
    std::map<int, CacheDomain> all;
    add_group(fs::path(folder_), all);
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(folder_, ignored)) {
      if (entry.is_directory(ignored)) add_group(entry.path(), all);
    }
    return all;
  }

  void add_group(const fs::path& group, std::map<int, CacheDomain>& all) {
    std::error_code ignored;
    for (const auto& entry : fs::directory_iterator(group / "mon_data", ignored)) {
      const std::string name = entry.path().filename().string();  // "mon_L3_07"
      if (!name.starts_with("mon_L3_")) continue;
      int id = -1;
      std::from_chars(name.data() + 7, name.data() + name.size(), id);
      const Node* node = node_of_cache(id);
      const auto total = os::first_number(os::first_line((entry.path() / "mbm_total_bytes").string()).value_or(""));
      const auto local = os::first_number(os::first_line((entry.path() / "mbm_local_bytes").string()).value_or(""));
      if (node == nullptr || !total) continue;
      CacheDomain& domain = all[id];
      domain.node = node;
      domain.total += static_cast<double>(*total);
      domain.local += static_cast<double>(local.value_or(*total));
    }
  }

  const Node* node_of_cache(int id) {
    if (node_by_cache_.empty()) {
      for (const Node& node : around_.machine->nodes) {
        for (const int cpu : node.cpus) {
          const auto number = os::first_number(
              os::first_line(
                  os::path_below(around_.root, "sys/devices/system/cpu/cpu" + std::to_string(cpu) + "/cache/index3/id"))
                  .value_or(""));
          if (number) node_by_cache_.emplace(static_cast<int>(*number), &node);
        }
      }
    }
    const auto found = node_by_cache_.find(id);
    return found == node_by_cache_.end() ? nullptr : found->second;
  }

  Surroundings around_;
  std::string folder_;
  std::map<int, const Node*> node_by_cache_;
  std::map<int, CacheDomain> before_;
  double before_s_ = -1;
};

}  // namespace

SourceOrReason open_resctrl(const Surroundings& around, const std::string& /*argument*/) {
  auto opened = std::make_unique<ResctrlSource>(around);
  const std::string why_not = opened->open();
  if (!why_not.empty()) return {nullptr, why_not};
  return {std::move(opened), ""};
}

}  // namespace charm::memory_traffic
