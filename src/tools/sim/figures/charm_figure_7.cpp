// CHARM Fig. 7 (§5.2): throughput of graph kernels on 2 × 7713 against RING, AsymSched and SAM. The text gives the
// speedups at 64 cores, their range from 96 cores up, and who is ahead everywhere.
#include <algorithm>

#include "tools/sim/figures/all.hpp"

namespace charm::sim {

Reproduction charm_figure_7(const Free& free) {
  const Model model = model_with("epyc-7713-2s", free);
  const char* text = "§5.2, text";
  Reproduction out;
  out.x = "cores";
  out.y = "CHARM's throughput over that of a baseline";
  struct Kernel {
    const char* name;
    double at_64;
  };
  for (const Kernel& kernel : {Kernel{"bfs", 1.8}, Kernel{"cc", 1.9}, Kernel{"sssp", 2.3}}) {
    for (const int cores : {8, 16, 32, 64, 96, 128}) {
      const double charm = settled(model, kernel.name, "charm", cores).throughput;
      for (const char* baseline : {"ring", "asymsched", "sam"}) {
        const double ratio = charm / settled(model, kernel.name, baseline, cores).throughput;
        const std::string series = std::string(kernel.name) + " over " + baseline;
        // That SAM is behind on the same socket rests on what a step is taken to lose with its tasks.
        const Basis basis = std::string(baseline) == "ring" ? Basis::predicted : Basis::assumed;
        if (cores <= 64) {
          out.points.push_back(
              required(series, cores, 1, ratio, ratio > clearly_ahead, "CHARM is ahead up to 64 cores", text)
                  .on(basis));
        }
        if (cores == 64) out.points.push_back(magnitude(series, cores, kernel.at_64, ratio, text).on(basis));
        if (cores > 64) out.points.push_back(magnitude(series, cores, 2.4, ratio, "§5.2, text: 2 to 2.8").on(basis));
      }
    }
  }
  for (const char* kernel : {"bfs", "cc", "sssp"}) {
    double last = settled(model, kernel, "charm", 8).throughput;
    for (const int cores : {16, 32, 64}) {
      const double now = settled(model, kernel, "charm", cores).throughput;
      out.points.push_back(required(std::string(kernel) + ", CHARM over itself at half the cores", cores, 2, now / last,
                                    now > last, "it scales up to 64 cores", text));
      last = now;
    }
  }
  out.not_captured = {
      "Baselines that get slower from 56 cores on: their locks and message buffers are not modelled.",
      "That CHARM is ahead of RING with GUPS up to 64 cores: by 4 % in the model, which is a tie.",
      "What the runtimes are worth beside placement: CHARM's is compared with three that share none of its code.",
      "PageRank and Graph500 have no value in the text; where memory bandwidth decides, the model puts two sockets "
      "ahead of one at 64 cores, in contradiction to the figure. GUPS does so as well unless its updates cost what the "
      "artifact's messages do."};
  return out;
}

}  // namespace charm::sim
