// CHARM Fig. 10 (§5.5): speedup over RING with graphs of 2^16 to 2^24 vertices on half of a socket's cores and on all.
// The text gives no value, but that CHARM is ahead everywhere. A NUMA-aware runtime stands for RING.
#include <algorithm>

#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

Plan plan_charm_figure_10(const Context& context) {
  Plan out{.x = "scale", .y = "CHARM over a NUMA-aware runtime"};
  const int socket = socket_cores(context.machine());
  const std::vector<std::string> kernels = {"bfs", "cc", "sssp"};
  std::vector<int> scales = context.quick() ? std::vector<int>{16, 20} : std::vector<int>{16, 18, 20, 22, 24};
  std::erase_if(scales, [&](int scale) { return graph_that_fits(context, scale) < scale; });
  for (const int workers : {socket / 2, socket}) {
    const BenchRows rows{.policies = {"adaptive", std::string(numa_aware)},
                         .workers = workers,
                         .trials = context.quick() ? 5 : 15,
                         .trial_seconds = context.quick() ? 1.0 : 4.0};
    for (const int scale : scales) {
      Input input = graph_input(kernels, scale);
      input.prefix = fmt::format("2^{} ", scale);
      add_bench(out, context, fmt::format("2^{} vertices on {} cores", scale, workers), input, rows,
                context.quick() ? 35 : 400);
      for (const std::string& kernel : kernels) {
        out.points.push_back({.series = fmt::format("{}, {} cores", kernel, workers),
                              .x = static_cast<double>(scale),
                              .first = input.prefix + row(kernel, "charm", "adaptive", workers),
                              .second = input.prefix + row(kernel, "charm", numa_aware, workers),
                              .expect = Expect::ahead,
                              .source = "§5.5, text"});
      }
    }
  }
  if (context.paper())
    out.notes = {"The peak at 79 to 320 MB that the text names for SSSP, GUPS and Graph500 at 32 cores.",
                 "GUPS and Graph500 beyond the caches, where the model has two sockets' memory ahead of one's."};
  return out;
}

}  // namespace

constinit const Experiment charm_figure_10{
    .name = "charm-fig10",
    .title = "Sizes of graphs",
    .claim =
        "CHARM is ahead of a NUMA-aware runtime with graphs of every size, on half of a socket's cores and on all.",
    .paper = "CHARM Fig. 10, §5.5",
    .published = "ahead of RING everywhere; no values",
    .machine = "epyc-7713-2s",
    .needs = {.cores = 8, .chiplets = 2, .nodes = 2, .benchmark = "graph"},
    .plan = plan_charm_figure_10};

}  // namespace charm::evaluate
