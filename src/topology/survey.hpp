// What the operating system, a dump or a synthetic string says about a machine, as a plain value before any judgement.
//
// The survey is the boundary between hwloc and the rest: reading it needs hwloc (survey_of.cpp), in a child where the
// description is not of this machine (foreign.cpp); judging it (build.cpp) needs neither, so implausible machines can
// be written down in tests.
#pragma once

#include <charm/id_set.hpp>

#include <cstdint>
#include <string>
#include <vector>

#include "base/id_sets.hpp"

namespace charm::topology {

/// A physical core that exists. Indices are into the survey's vectors, -1 where the source tells none.
struct SurveyCore {
  CpuSet cpus;  // all its hardware threads, allowed or not
  int l3 = -1;
  int node = -1;
  int socket = -1;
  std::uint64_t l1d_bytes = 0;
  std::uint64_t l2_bytes = 0;
  int l2 = -1;       // cores with the same number share an L2
  int cluster = -1;  // a level between cores and sockets that the kernel tells of, without a cache of its own
  // How fast it is, by what the source tells (core_kinds.cpp); 0, or -1 for the rank, where it does not.
  int rank = -1;         // of its type among the types of cores, 0 the slowest
  int capacity = 0;      // as the scheduler has it (cpu_capacity)
  int max_mhz = 0;       // the highest frequency
  int highest_perf = 0;  // of CPPC, which tells favoured cores from others of the type, too
};

struct SurveyNode {
  int os_index = 0;
  std::uint64_t bytes = 0;
  int socket = -1;        // -1: inside of no single socket
  std::string kind = {};  // "DRAM", "HBM", "CXL", "GPU" ...; empty: unknown
  double gb_per_s = 0;    // that the nearest cpus can read, and how long a load takes; 0: unknown
  double latency_ns = 0;
};

/// Cores of one kind, on processors that have several.
struct SurveyKind {
  CpuSet cpus;
  int efficiency = -1;    // rank, 0 the most frugal; -1 unknown
  std::string name = "";  // as the source calls it: "IntelAtom", "IntelCore"
};

struct Survey {
  std::string name;
  std::string origin;
  std::vector<SurveyCore> cores;        // in hardware order
  std::vector<std::uint64_t> l3_bytes;  // of those that are some core's innermost
  int cores_per_l2 = 1;                 // the most that share one
  std::vector<SurveyNode> nodes;        // in hardware order
  std::vector<SurveyKind> kinds;        // empty where not asked for or all cores are alike
  int sockets = 0;                      // as the source says; 0: it says nothing
  bool cores_known = true;              // false: every hardware thread was taken for a core
  bool arm = false;                     // an Arm processor, whose package ids may be those of clusters
  bool dense_cores = false;             // a processor whose chiplets with less L3 for each core have slower cores
  CpuSet all_cpus;                      // also those that are offline or hidden
  CpuSet allowed_cpus;                  // by the source itself
  OsNodeSet allowed_nodes;              // by the source itself
  int all_nodes = 0;
  std::vector<std::vector<double>> node_distance;  // by `nodes`; 0: unknown; empty: all unknown
  std::vector<std::string> notes;                  // what the source has wrong with it, a sentence each
};

/// hwloc's kinds of cores, with their names, cost a look at many files, so start-up does without (core_kinds.hpp reads
/// what it needs).
enum class Detail { start_up, kinds };

/// The machine that the process runs on, as it is: no restriction of this process but its cgroup's (hwloc's doing).
Survey survey_live(Detail detail = Detail::start_up);

/// \throws Error (bad_input).
Survey survey_file(const std::string& xml_file);
Survey survey_synthetic(const std::string& description, Detail detail = Detail::start_up);

/// \param root a directory that has `sys/devices/system/cpu`, as on the machine meant.
/// \throws Error (bad_input).
Survey survey_sysfs(const std::string& root, Detail detail = Detail::start_up);

/// What the processors say of themselves by CPUID (x86), without judgement and without NUMA nodes. No cores where they
/// say nothing. Each cpu is queried by a thread that is bound to it, so cpus that this process cannot be bound to are
/// missing.
/// \param dump a directory as hwloc-gather-cpuid writes it; empty: this machine.
Survey survey_processors(const std::string& dump = "");

}  // namespace charm::topology
