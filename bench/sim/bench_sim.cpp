// bench-sim: million simulated accesses per second of the line-granular back-end on one core (the goal is 15), for
// each of some generators the best of several short runs, in processor time; and how long a comparison of four policies
// with 64 workers over 60 simulated seconds takes with the analytic back-end (the goal is below 10 s).
#include <algorithm>
#include <cstdio>
#include <ctime>

#include "sim/backend.hpp"
#include "sim/generator.hpp"
#include "sim/run.hpp"

namespace {

/// Seconds of processor time: one thread's, and so the same on a machine that others use.
double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

}  // namespace

int main() {
  using namespace charm::sim;
  const Model machine = model("epyc-7713");
  std::printf("%-14s %8s %26s\n", "generator", "workers", "M accesses/s, best (worst)");
  for (const char* spec : {"sweep", "copy", "uniform", "zipf", "readonly", "pairs", "bfs", "streamcluster"}) {
    for (const int workers : {8, 64}) {
      const Workload work = workload(spec, workers);
      const Plan plan = plan_for("local", machine, work, workers);
      const Job job{&machine, plan.placement.start(), &work.phases.front(), plan.habits};
      double best = 0, worst = 1e18;
      for (int i = 0; i < 5; ++i) {
        LinesOptions options;
        options.most_accesses = 3000000;
        const double start = now();
        const auto result = line_mixes(job, options);
        const double rate = static_cast<double>(result.accesses) / (now() - start) / 1e6;
        best = std::max(best, rate);
        worst = std::min(worst, rate);
      }
      std::printf("%-14s %8d %19.1f (%.1f)\n", spec, workers, best, worst);
    }
  }
  const double start = now();
  for (const char* policy : {"charm", "ring", "shoal", "os"}) run(model("2x7713"), "bfs", policy, 64);
  std::printf("\nfour policies, 64 workers, 60 simulated seconds: %.3f s\n", now() - start);
}
