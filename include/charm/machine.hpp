// The machine as placement sees it: sockets, NUMA nodes, chiplets, physical cores, SMT siblings, sizes, distances.
//
// A Machine is a plain value: once discovered (or read from a file) it never changes, and every decision is a function
// of it. Ids are indices into the vectors below (logical, 0..n-1, in hardware order: a socket's chiplets are
// neighbours); cpu numbers are the operating system's and may be interleaved, sparse or partly forbidden. `cores` lists
// only the cores that the process may use; `total` counts all that exist.
#pragma once

#include <charm/id_set.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace charm {

/// Kinds of cores, the fastest first. Where all cores are alike, or it is unknown whether they are, all are
/// `performance`; `middle` lies between the fastest and the slowest of three; `low_power` cores are slower ones outside
/// of the cache that the faster ones share, and get no worker unless they are asked for.
enum class CoreKind { performance, middle, efficiency, low_power };

/// One physical core that the process may use.
struct Core {
  int id = 0;                             ///< index in Machine::cores
  int cpu = 0;                            ///< OS number of its lowest allowed hardware thread: where a worker is bound
  CpuSet siblings;                        ///< OS numbers of all its allowed hardware threads, `cpu` the lowest
  int chiplet = 0;                        ///< id of the chiplet that it is on
  int node = 0;                           ///< id of the NUMA node whose memory is local
  int socket = 0;                         ///< id of its socket
  std::uint64_t l1d_bytes = 0;            ///< first-level data cache; 0 where unknown
  std::uint64_t l2_bytes = 0;             ///< second-level cache; 0 where unknown
  CoreKind kind = CoreKind::performance;  ///< faster kinds get workers first
  int capacity = 1024;                    ///< work in a second, where the machine's fastest core does 1024
  int position = 0;                       ///< among all cores of its chiplet that exist, allowed or not, from 0
  int cluster =
      -1;  ///< cores with the same number share an L2, or are a cluster to the kernel, within a chiplet; -1: none
};

/// Cores that share a last-level cache (a CCX, a Kunpeng cluster's SCCL, an Intel die), or a domain of these cores that
/// the setting `domains` names (a tile behind a cache that spans several). Sizes may differ.
struct Chiplet {
  int id = 0;                  ///< index in Machine::chiplets
  CoreSet cores;               ///< never empty
  std::uint64_t l3_bytes = 0;  ///< size of its (part of a) last-level cache; 0 where the machine reports none
  int node = 0;                ///< node of its first core
  int socket = 0;              ///< id of its socket
  int cache_level = 3;         ///< of the last-level cache: 2 where an L2 is the last that several cores share
  int total_cores = 0;         ///< those that exist, allowed or not
  int shared_cache = -1;       ///< a number that the domains of one last-level cache have in common; -1: it is its own
};

/// A NUMA node; `cpus` is empty for memory-only nodes (CXL, HBM) and where none of its cpus is allowed.
struct Node {
  int id = 0;                    ///< index in Machine::nodes
  int os_index = 0;              ///< the operating system's number of the node
  CpuSet cpus;                   ///< the allowed cpus to which its memory is local
  std::uint64_t bytes = 0;       ///< size of its memory; 0 where unknown
  int socket = -1;               ///< -1 where it belongs to several sockets
  std::string kind = {};         ///< "DRAM", "HBM", "CXL", "GPU" ... where the system reports it; else empty
  double firmware_gb_per_s = 0;  ///< what the nearest cpus can read of it, as the firmware says (HMAT); 0: it does not
  double firmware_latency_ns = 0;  ///< how long a load of theirs takes, likewise
};

/// A socket (package). `chiplets` is empty where the socket's memory may be used but none of its cpus.
struct Socket {
  int id = 0;           ///< index in Machine::sockets
  ChipletSet chiplets;  ///< the socket's chiplets
  NodeSet nodes;        ///< the nodes that belong to this socket alone
};

/// What `Machine::chiplets` was read from; `measured`: a stored profile, because the system hides them; `declared`: the
/// setting `domains`.
enum class ChipletSource { last_level_cache, cluster, numa_node, socket, measured, declared };

/// The results of `charm probe` (docs/probe.md). Fields are 0 or empty where nothing was measured, or no profile is in
/// force. A latency between cores is half a round trip of a cache line that two cores exchange by compare-and-swap, as
/// a median.
struct Measured {
  std::string profile;                                 ///< the profile's file; empty: no profile is in force
  std::string date;                                    ///< when it was measured, ISO 8601, UTC
  double core_latency_ns = 0;                          ///< between cores of one chiplet
  double chiplet_latency_ns = 0;                       ///< between cores of different chiplets of one node
  double l3_latency_ns = 0;                            ///< a load that the own chiplet's last-level cache serves
  double core_gb_per_s = 0;                            ///< reading 8 KiB that another core of the chiplet wrote
  double chiplet_gb_per_s = 0;                         ///< the same from another chiplet of the node
  double chiplet_memory_gb_per_s = 0;                  ///< all cores of one chiplet read their node's memory
  double node_memory_gb_per_s = 0;                     ///< all cores of one node read its memory
  double memory_gb_per_s = 0;                          ///< STREAM triad, all cores together
  std::vector<std::vector<double>> node_latency_ns;    ///< nodes × nodes: between cores of the two
  std::vector<std::vector<double>> memory_latency_ns;  ///< nodes × nodes: a load of a core of the first from the second
  std::vector<std::vector<double>> node_gb_per_s;      ///< nodes × nodes: a core of the first reads the second's memory
  std::vector<std::string> doubts;                     ///< what speaks against the measurement; empty: nothing does
};

/// The machine, as far as the process may use it; `total` counts all that exists.
struct Machine {
  std::string name;    ///< product or cpu model where known
  std::string origin;  ///< "live", "xml:FILE", "synthetic:STRING", "profile:FILE", "name:PRODUCT" or "sysfs:DIRECTORY"
  std::vector<Socket> sockets;    ///< by id: in this and the following vectors index and id are the same
  std::vector<Node> nodes;        ///< NUMA nodes, with and without cpus
  std::vector<Chiplet> chiplets;  ///< the chiplets with a core that the process may use
  std::vector<Core> cores;        ///< the cores that the process may use
  CpuSet allowed_cpus;            ///< the cpus that the process may use
  CpuSet forbidden_cpus;          ///< the cpus that exist and may not be used, or are offline
  ChipletSource chiplet_source = ChipletSource::last_level_cache;  ///< what the chiplets were read from
  double cpu_quota = 0;  ///< cpu time that the cgroup grants, in cpus; 0 without a limit
  std::vector<std::vector<double>>
      node_distance;  ///< nodes × nodes, relative (local is about 10 or 1); empty if unknown
  struct {
    int cpus = 0, cores = 0, nodes = 0, sockets = 0;
  } total;                          ///< numbers of all that exist, allowed or not
  Measured measured;                ///< the measurements of the profile that is in force
  std::vector<std::string> notes;   ///< what was guessed, missing or restricted, one sentence each
  std::vector<std::string> doubts;  ///< those of the notes that say what no such machine has

  /// The machine that the process runs on, or the one that CHARM_TOPOLOGY describes (see `from`), restricted to what
  /// the process may use: its affinity mask, its cgroup's cpuset and quota. The profile that `charm probe` has stored
  /// for this machine and these cpus is added (`measured`, and chiplets and distances that the system hides);
  /// CHARM_PROFILE names another file or is "off". A profile that does not fit is refused, with a note and a notice
  /// that say why. Chiplets are those that CHARM_DOMAINS says.
  /// \throws Error (bad_input) if CHARM_TOPOLOGY or the file that CHARM_PROFILE names cannot be read, or CHARM_DOMAINS
  /// does not fit the machine.
  static Machine discover();

  /// A described machine: an hwloc XML file, an hwloc synthetic string ("pack:2 l3:8 core:8 pu:2"), a profile
  /// that `charm probe` wrote, a directory with the `sys` (and `proc`) tree of a Linux machine, or a product whose
  /// published shape is known ("epyc-9654"; "2x9654" has two sockets).
  /// \throws Error (bad_input) that names the file or string and what is wrong with it.
  static Machine from(std::string_view description);

  /// Relative cost of a transfer between two cores: 0 same core, 1 same chiplet, 1.5 another domain of its cache, 2
  /// other chiplet of the node, 3 other node of the socket, 4 and up other socket (farther nodes cost more where
  /// distances are known).
  [[nodiscard]] double distance(int core_a, int core_b) const;

  [[nodiscard]] const Core* core_of_cpu(int cpu) const;  ///< the cpu's core; nullptr if the cpu is not allowed
  [[nodiscard]] bool is_live() const {
    return origin == "live";
  }  ///< whether it is the machine that the process runs on
};

}  // namespace charm
