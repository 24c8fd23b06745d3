// The plan of a deployment: from machines and a request to a list of workers. Pure: the machines, and what limits the
// process that asks, are arguments.
//
// - No hardware thread belongs to two workers, and no core to workers of different masks: both hardware threads of a
//   core are one worker's, also where only the first is in its mask.
// - Memory adds up: the workers' memory on a node and what is left to the system are together at most the node's
//   memory; all workers of a machine have at most what its cgroup allows.
// - Every cpu that may be used is a worker's or is named as left over, with the reason. So is every node.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/id_sets.hpp"
#include "tools/deploy/request.hpp"

namespace charm::deploy {

/// An id as the index that it is.
constexpr std::size_t at(int id) { return static_cast<std::size_t>(id); }

/// A machine to plan for.
struct Host {
  std::string name;
  Machine machine;
  std::uint64_t memory_limit = 0;              ///< bytes that the cgroup allows; 0: no limit
  std::optional<OsNodeSet> memory_nodes = {};  ///< nodes whose memory may be used; nothing: all
  std::uint64_t memory_available = 0;          ///< bytes that other programs leave at the moment; 0: unknown
};

struct Worker {
  std::string name;     ///< "w0": unique in the plan
  std::string host;     ///< name of its machine
  CpuSet cpus;          ///< its affinity mask
  CpuSet core_cpus;     ///< all usable hardware threads of its cores; no other worker has any of them
  CoreSet cores;        ///< its cores, by index in Machine::cores
  ChipletSet chiplets;  ///< the chiplets that they are on
  OsNodeSet nodes;      ///< the nodes that its memory comes from, by the system's numbers
  Memory memory = Memory::none;
  std::uint64_t memory_bytes = 0;  ///< all that it may use; 0: the machine's memory is unknown
  std::uint64_t heap_bytes = 0;    ///< the part of it for a Java heap or the like
  int port = 0;                    ///< where it listens
  int web_port = 0;                ///< the second one: a web page, statistics
  std::string directory;           ///< its own, below that of the deployment
  friend bool operator==(const Worker&, const Worker&) = default;
};

/// Cpus or nodes that no worker has, and why.
struct LeftOver {
  CpuSet cpus;
  OsNodeSet nodes;
  std::string why;
  friend bool operator==(const LeftOver&, const LeftOver&) = default;
};

struct NodeShare {
  int node = 0;                     ///< the system's number
  std::uint64_t bytes = 0;          ///< its memory; 0: unknown
  std::uint64_t system_bytes = 0;   ///< left to the system
  std::uint64_t workers_bytes = 0;  ///< of all workers together
  friend bool operator==(const NodeShare&, const NodeShare&) = default;
};

struct HostPlan {
  std::string name;
  std::string machine;                                  ///< its model
  std::string origin;                                   ///< where the description is from; "live" is this machine
  int sockets = 0, nodes = 0, chiplets = 0, cores = 0;  ///< that may be used
  int all_cores = 0, all_cpus = 0;                      ///< that exist
  std::vector<NodeShare> memory;
  std::uint64_t memory_limit = 0;  ///< of the cgroup; 0: none
  std::vector<LeftOver> left_over;
  std::vector<std::string> notes;  ///< what was unusual and what was done about it, a sentence each
  friend bool operator==(const HostPlan&, const HostPlan&) = default;
};

struct Plan {
  Policy policy = Policy::wicp;
  Shape shape = Shape::local;
  int per_chiplet = 1;
  bool smt = false;
  std::string directory;
  std::vector<HostPlan> hosts;
  std::vector<Worker> workers;  ///< by host, in hardware order
  friend bool operator==(const Plan&, const Plan&) = default;

  [[nodiscard]] std::vector<const Worker*> workers_of(const std::string& host) const;
  [[nodiscard]] bool live() const { return hosts.size() == 1 && hosts.front().origin == "live"; }
};

/// \throws Error: bad_config where the request contradicts itself, bad_input where the machine cannot give what is
/// asked (with the reason), for instance more workers on a chiplet than it has cores.
Plan make_plan(std::span<const Host> hosts, const Request& request);

}  // namespace charm::deploy
