// contended: all workers take turns at one line, or at a few: counters, and locks with what they guard.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter contended_parameters[] = {
    {"lines", 1, "counters or locks that are independent of each other", 1, 1e9},
    {"moved", 1, "lines that go to each holder: a counter is one; a lock is one, and what it guards", 1, 1e6},
    {"hold_ns", 0, "computing of the holder while the others wait", 0, 1e9},
    {"compute_ns", 0, "computing beside it", 0, 1e9},
};

Workload make_contended(const Arguments& a, int) {
  Phase phase;
  phase.turns = {a["lines"], a["moved"], a["hold_ns"]};
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 20 + 4 * (a["compute_ns"] + a["hold_ns"]);
  return steady("contended", "turns", phase);
}

}  // namespace

constinit const Generator contended_generator{"contended", "all workers take turns at one counter or lock",
                                              contended_parameters, make_contended};

}  // namespace charm::sim
