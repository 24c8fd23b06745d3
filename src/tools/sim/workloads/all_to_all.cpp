// all-to-all: all workers write the lines that all workers read: locks, counters, small shared structures.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter all_to_all_parameters[] = {
    {"kb", 256, "KiB that are shared; for a line or a few, contended", 4, 1024 * largest_mib},
    {"writes", 0.5, "share of the accesses that write", 0, 1},
    {"compute_ns", 40, "computing on an access", 0, 1e+09},
};

Workload make_all_to_all(const Arguments& a, int) {
  Phase phase;
  phase.components = {{"shared lines",
                       Component::Order::random,
                       Component::Reach::shared,
                       a["kb"] * 1024,
                       1,
                       a["writes"],
                       0.125,
                       {},
                       false}};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 40 + 4 * a["compute_ns"];
  return steady("all-to-all", "accesses", phase);
}

}  // namespace

constinit const Generator all_to_all_generator{"all-to-all", "everybody writes what everybody reads",
                                               all_to_all_parameters, make_all_to_all};

}  // namespace charm::sim
