// Finds the node of an address's page, and the nearest node that has workers.
#include <charm/call.hpp>
#include <charm/where.hpp>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <limits>

#include "base/notices.hpp"
#include "os/memory/node_memory.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace charm {
namespace {

using sched::Runtime;

int own_node() {
  sched::Worker* worker = sched::this_worker();
  return worker != nullptr && worker->worker_core().node >= 0 ? worker->worker_core().node : 0;
}

Whereabouts unknown(const std::string& reason) { return {own_node(), false, reason}; }

}  // namespace

Whereabouts where(const void* address) {
  const sched::Visit visit;
  const Runtime& runtime = *visit;
  if (!runtime.machine.is_live()) return unknown("the runtime runs on a machine that is not this one");
  const os::PageHome home = os::page_home(address);
  if (home.node >= 0) {
    for (const Node& node : runtime.machine.nodes) {
      if (node.os_index == home.node) return {node.id, true, ""};
    }
    return unknown("it lies on node " + std::to_string(home.node) +
                   " of the system, which the machine model does not have");
  }
  if (home.error == ENOENT) return unknown("its page has not been touched yet");
  if (home.error == EFAULT) return unknown("nothing is mapped there, or nobody has written to the page yet");
  const std::string reason = std::string("the kernel does not say: ") + std::strerror(home.error);
  base::notice("page-home", "where memory lies is not known (move_pages: " + std::string(std::strerror(home.error)) +
                                "); calls to an address stay on the caller's node");
  return unknown(reason);
}

detail::Target detail::target_of_address(const void* address) {
  const sched::Visit visit;
  const Runtime& runtime = *visit;
  const int node = where(address).node;
  // Nodes without workers have memory alone (CXL, HBM), or cpus that the process may not use.
  int best = -1;
  double nearest = std::numeric_limits<double>::infinity();
  for (const auto& worker : runtime.workers) {
    const int other = worker->node();  // it may be moving
    if (other < 0) continue;
    const auto& distances = runtime.machine.node_distance;
    const double distance = other == node ? 0
                            : distances.empty()
                                ? 1
                                : distances[static_cast<std::size_t>(node)][static_cast<std::size_t>(other)];
    if (distance < nearest) {
      nearest = distance;
      best = other;
    }
  }
  if (best >= 0) return {Target::Kind::node, best};
  const WorkerBase* self = this_worker();  // workers that the system places
  return {Target::Kind::worker, self != nullptr ? self->id : 0};
}

}  // namespace charm
