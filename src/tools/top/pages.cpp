#include "tools/top/pages.hpp"

#include "base/clock.hpp"
#include "os/files/system_files.hpp"
#include "tools/os/numa_maps.hpp"

namespace charm::top {

PageWatch::PageWatch(const Machine& machine, int pid, std::string root) : pid_(pid), root_(std::move(root)) {
  for (const Node& node : machine.nodes) nodes_.push_back(node.os_index);
}

const std::map<int, std::uint64_t>& PageWatch::bytes_by_node() {
  const double before = base::monotonic_seconds();
  if (before < next_s_) return bytes_;
  bytes_.clear();
  read();
  const double after = base::monotonic_seconds();
  next_s_ = after + 50 * (after - before);
  return bytes_;
}

void PageWatch::read() {
  if (pid_ != 0) {
    const auto mappings = os::numa_maps(pid_, root_);
    if (!mappings) return;
    for (const os::MappedPages& mapping : *mappings) {
      for (const auto& [node, bytes] : mapping.bytes) bytes_[node] += bytes;
    }
    return;
  }
  for (const int node : nodes_) {
    const std::string name = "Node " + std::to_string(node) + " MemUsed:";
    const std::string text =
        os::read_text(os::path_below(root_, "sys/devices/system/node/node" + std::to_string(node) + "/meminfo"));
    if (const auto used = os::kilobytes_of(text, name)) bytes_[node] = *used;
  }
}

}  // namespace charm::top
