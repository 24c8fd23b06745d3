// One configuration for both back-ends: the workers' cores, what the workers do, and how the policy treats data and
// tasks.
#pragma once

#include <charm/placement.hpp>

#include <array>
#include <cstddef>
#include <vector>

#include "tools/sim/model.hpp"
#include "tools/sim/workload.hpp"

namespace charm::sim {

/// A group of cores, from the smallest to the largest.
enum class Domain { worker, chiplet, node, machine };

/// How a policy treats data and tasks.
struct AccessHabits {
  enum class Home { near, interleaved, first_node } home = Home::near;
  // The domain within which a part of the data may go to another worker at the next step.
  Domain roam = Domain::chiplet;
  Domain replicas = Domain::machine;  // the domain that has one copy of replicable data
  bool tree_barrier = true;           // one counter a chiplet, then one of chiplets; else one counter for all
  double far_share = 0;               // share of the data that lies on memory-only nodes
  double access_ns = 0;               // software cost of an access to another node's data (messages)
  double operation_ns = 0;            // software cost of every operation (queues, threads)
};

struct Job {
  const Model* model = nullptr;
  std::vector<WorkerCore> worker_cores;
  const Phase* phase = nullptr;
  AccessHabits habits;
  // The process of each worker. What is own roams within a process, and a process has one copy of what is replicable.
  // Empty: the policy's habits say where data are shared.
  std::vector<int> processes = {};
};

/// The sources that served a component's accesses, as shares of these.
struct Mix {
  double own_l2 = 0;
  double own_chiplet = 0;    // the chiplet's L3, or a neighbour's copy of an unchanged line
  double neighbour = 0;      // a line that a neighbour of the same chiplet has just written
  double other_chiplet = 0;  // a cache of another chiplet of the node
  double other_node = 0;     // a cache of another node of the socket
  double other_socket = 0;
  double memory = 0;
  double upgrade_near = 0;  // writes that had to take a copy away from another chiplet of the socket
  double upgrade_far = 0;   // the same from a chiplet of another socket
  double written_back = 0;  // dirty lines that left the caches
};

using Mixes = std::vector<std::vector<Mix>>;  // [worker][component]

/// Sets of workers that touch the same lines of a component; every worker is in exactly one.
std::vector<std::vector<int>> groups_of(const Job& job, const Component& component);

/// Bytes that a group of `workers` touches together.
double group_bytes(const Component& component, std::size_t workers);

/// Whether a group's lines move from worker to worker between steps.
bool wanders(const Component& component, std::size_t workers);

}  // namespace charm::sim
