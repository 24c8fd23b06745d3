// Copies of the model and who uses which: DimmWitted's model replication (C. Zhang, C. Ré, "DimmWitted: A Study of
// Main-Memory Statistical Analytics", PVLDB 7 (2014), §3.3) per core, per NUMA node and per machine, and CHARM's per
// chiplet (§5.5). Invariant: every worker has one replica, and a replica's users are on one core, chiplet or node.
#pragma once

#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "workloads/executor/parts.hpp"
#include "workloads/sgd/samples.hpp"

namespace charm::workloads {

enum class Replication : std::uint8_t { core, chiplet, node, machine };

/// Where workers are. A runtime that binds its workers says so. Of others, and of workers that are not bound, worker w
/// is taken to be on core w of the machine in its own order: as OpenMP's are with OMP_PLACES=cores and
/// OMP_PROC_BIND=close.
template <Executor E>
std::vector<WorkerCore> places_of(E& e) {
  if constexpr (requires { e.worker_cores(); }) {
    auto places = e.worker_cores();
    if (std::all_of(places.begin(), places.end(), [](const WorkerCore& p) { return p.chiplet >= 0; })) return places;
  }
  const Machine machine = Machine::discover();
  std::vector<WorkerCore> places(static_cast<std::size_t>(e.workers()));
  for (std::size_t w = 0; w < places.size() && !machine.cores.empty(); ++w) {
    const Core& core = machine.cores[w % machine.cores.size()];
    places[w] = {core.id, core.cpu, core.chiplet, core.node, core.socket};
  }
  return places;
}

/// The replica of each worker, numbered from 0 in the order of their first workers.
inline std::vector<std::size_t> group_workers(const std::vector<WorkerCore>& places, Replication replication) {
  std::vector<int> keys;
  std::vector<std::size_t> groups;
  for (std::size_t w = 0; w < places.size(); ++w) {
    const int key = replication == Replication::core ? static_cast<int>(w)  // workers that share a core do not share
                    : replication == Replication::chiplet ? places[w].chiplet
                    : replication == Replication::node    ? places[w].node
                                                          : 0;
    const auto found = std::find(keys.begin(), keys.end(), key);
    groups.push_back(static_cast<std::size_t>(found - keys.begin()));
    if (found == keys.end()) keys.push_back(key);
  }
  return groups;
}

struct Replica {
  Array<float> model;
  std::mutex mutex;  ///< for updates that are not made lock-free
  int users = 0;
};

class Replicas {
 public:
  template <Executor E>
  Replicas(E& e, Replication replication, Index features)
      : of_worker_(group_workers(places_of(e), replication)),
        all_(1 + *std::max_element(of_worker_.begin(), of_worker_.end())) {
    const ArrayPlacement& placement = array_placement_of(e);
    for (std::size_t w = 0; w < of_worker_.size(); ++w) {
      Replica& replica = of(static_cast<int>(w));
      if (replica.users++ > 0) continue;
      replica.model = replication == Replication::machine || !placement.several()
                          ? placement.shared<float>(features)
                          : ArrayPlacement::on<float>(placement.node_of(static_cast<int>(w)), features);
      std::fill(replica.model.begin(), replica.model.end(), 0.0F);
    }
  }

  [[nodiscard]] std::size_t size() const { return all_.size(); }
  Replica& operator[](std::size_t i) { return all_[i]; }
  Replica& of(int worker) { return all_[index_of(worker)]; }
  [[nodiscard]] std::size_t index_of(int worker) const { return of_worker_[static_cast<std::size_t>(worker)]; }
  /// The model that each worker reads.
  [[nodiscard]] std::vector<const float*> models() {
    std::vector<const float*> result;
    for (const std::size_t i : of_worker_) result.push_back(all_[i].model.data());
    return result;
  }

 private:
  std::vector<std::size_t> of_worker_;
  std::deque<Replica> all_;
};

}  // namespace charm::workloads
