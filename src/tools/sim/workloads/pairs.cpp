// pairs: neighbours hand lines to each other, as producers and consumers do; with data of their own beside it if asked.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter pairs_parameters[] = {
    {"kb", 64, "KiB of each worker's mailbox", 0.0625, 1024 * largest_mib},
    {"mb", 0, "MiB of each worker's own data", 0, largest_mib},
    {"own", 23, "lines of its own data that a worker touches for each line of a mailbox", 0, 1e+06},
    {"compute_ns", 40, "computing on an operation", 0, 1e+09},
};

Workload make_pairs(const Arguments& a, int) {
  Phase phase;
  // One line is handed over at a time: nothing overlaps with it.
  phase.components = {
      {"mailboxes", Component::Order::random, Component::Reach::pair, a["kb"] * 1024, 2, 0.5, 0.125, {}, false}};
  if (a["mb"] > 0) {
    phase.components.push_back(
        {"own data", Component::Order::sweep, Component::Reach::own, a["mb"] * mib, a["own"], 0.25, 1, {}, false});
  }
  phase.compute_ns = a["compute_ns"];
  phase.instructions = 40 + 4 * a["compute_ns"] + (a["mb"] > 0 ? 16 * a["own"] : 0);
  return steady("pairs", "lines handed over", phase);
}

}  // namespace

constinit const Generator pairs_generator{"pairs", "producers and consumers, two and two", pairs_parameters,
                                          make_pairs};

}  // namespace charm::sim
