// The machine as memory traffic sees it: domains in levels (machine, socket, NUMA node), the buses between them, and
// the memories with their controllers. The memory access forest of TAPMM §3.2 (tree.hpp) is derived from it: one tree
// for each domain that has cpus.
//
// A domain is joined to the one around it by a bus with a bandwidth in each direction. `out` carries what others read
// from the memories in the domain, `in` what its own cpus read elsewhere. Where only the memory's side limits the
// transfer (the inter-die bus of a Kunpeng 920, as TAPMM measured it) `in` is unlimited.
#pragma once

#include <charm/machine.hpp>

#include <limits>
#include <string>
#include <vector>

#include "tools/memory_traffic/fit.hpp"

namespace charm::memory_traffic {

/// The bandwidth of a bus that limits nothing, or that nobody has measured.
inline constexpr double unlimited = std::numeric_limits<double>::infinity();

enum class Level { machine, socket, node };

/// A part of the machine that one bus joins to the part around it.
struct Domain {
  std::string name;
  Level level = Level::node;
  int parent = -1;                  ///< index of the domain around it, smaller than its own; -1: the whole machine
  double out_gb_per_s = unlimited;  ///< from its memories to the rest of the machine; 10^9 bytes a second
  double in_gb_per_s = unlimited;   ///< from the rest of the machine to its cpus
  double hop_ns = 0;                ///< what crossing the bus adds to a read
  std::string bus = {};             ///< its type ("hydra", "upi"): buses of a type share one fit (fit.hpp)
  int os_node = -1;                 ///< the NUMA node whose cpus it has (OS number); -1: it has no cpus of its own
};

/// A NUMA node's memory behind its controller.
struct Memory {
  int os_node = 0;              ///< OS number
  int domain = 0;               ///< index of the domain that it is attached to
  double gb_per_s = 0;          ///< of its controller; above 0 and finite
  double latency_ns = 0;        ///< of a read within its domain
  std::string controller = {};  ///< its type ("memory", "far memory"): controllers of a type share one fit
};

/// What a bus or controller of a type still gives while it carries something (TAPMM §3.2). Measured on one of the type;
/// for those of another bandwidth both axes are scaled.
struct LoadFit {
  std::string type;  ///< Domain::bus or Memory::controller
  Fit fit;
};

struct Model {
  std::string name;                ///< of the machine
  std::string date;                ///< when it was measured, ISO 8601; empty where it was not
  double core_gb_per_s = 0;        ///< what one core can read at most; 0 where it is not known
  std::vector<Domain> domains;     ///< parents before children; the first is the machine
  std::vector<Memory> memories;    ///< those that may be used, in the order of their OS numbers
  std::vector<LoadFit> loads;      ///< measured under load; a type that is not there: what it has less what it carries
  std::vector<std::string> notes;  ///< what was guessed, one sentence each
};

/// What the machine's description tells: its levels, the measured bandwidths and latencies of its profile (charm probe)
/// where there are some, else equal controllers, unlimited buses and the kernel's distances as latencies, with a note.
Model model_of(const Machine& machine);

/// Indices of the domains that have cpus of their own: the roots of the forest.
std::vector<int> roots(const Model& model);

/// Index of the root with the cpus of a NUMA node (OS number); -1 where there is none.
int root_of_node(const Model& model, int os_node);

/// The domain within which normal memory stays (the L2 domain of TAPMM §3.3): the socket of a root, or the root itself
/// where it is in no socket.
int near_domain(const Model& model, int root);

/// Whether `domain` is `around` or lies in it.
bool lies_in(const Model& model, int domain, int around);

/// Latency of a read from a root's cpus: the memory's, and at least 1 ns for every bus between the two, so that of
/// memories that are said to be equally far the one behind fewer buses is nearer.
double read_latency(const Model& model, int root, const Memory& memory);

/// GB/s that this many cores can read at most; unlimited where the model does not say what one can.
double demand_of(const Model& model, int cores);

/// \throws Error (bad_input) that names the first thing that is wrong. \param name stands in the error.
void check(const Model& model, const std::string& name);

/// Bandwidth by bus and controller: what there is in all, what is used, or what is left. GB/s.
struct Bandwidths {
  std::vector<double> out, in;  ///< by domain
  std::vector<double> memory;   ///< by memory
};

/// What the model has when nothing else runs.
Bandwidths capacities(const Model& model);

/// What is left of a bus or controller of a type that carries `used` of its capacity: by the fit of its type, else the
/// difference; never below 0. GB/s.
double left_of(const Model& model, const std::string& type, double capacity, double used);

/// What `used` leaves of the capacities by left_of().
Bandwidths remaining(const Model& model, const Bandwidths& used);

}  // namespace charm::memory_traffic
