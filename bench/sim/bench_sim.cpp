// bench-sim: million simulated accesses per second of the line-granular back-end on one core (the goal is 15) for every
// generator with 8 and 64 workers, what sampling is off by, and how long comparisons of policies take with the analytic
// back-end (the goal is below 10 s for 64 workers and 60 simulated seconds).
//
// Speed is of processor time, the best and the worst of several short runs: other load on the machine makes it worse by
// what it takes of the caches, and no more. The sample's error is against a finer one (one line in how many is
// printed): the largest difference of any source's share of the fills, and the difference of the throughput.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <ctime>

#include "tools/sim/backend.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/run.hpp"

namespace {

using namespace charm::sim;

double now() { return static_cast<double>(std::clock()) / CLOCKS_PER_SEC; }

struct Difference {
  double fills = 0, throughput = 0;
};

Difference difference(const Job& job, const LinesResult& a, const LinesResult& b) {
  const Rates x = rates_of(job, a.mixes), y = rates_of(job, b.mixes);
  double all_x = 0, all_y = 0;
  for (std::size_t s = 0; s < sources; ++s) {
    all_x += x.fills_per_s[s];
    all_y += y.fills_per_s[s];
  }
  Difference out;
  for (std::size_t s = 0; s < sources; ++s) {
    out.fills = std::max(out.fills, std::abs(x.fills_per_s[s] / all_x - y.fills_per_s[s] / all_y));
  }
  out.throughput = x.operations_per_s / y.operations_per_s - 1;
  return out;
}

void lines(const Model& machine, const Generator& generator, int workers, bool errors) {
  const Workload work = workload(generator.name, workers);
  const SimulationPlan plan = plan_for("local", machine, work, workers);
  const Job job{&machine, plan.placement.start(), &work.phases.front(), plan.habits};
  double best = 0, worst = 1e18;
  LinesResult result;
  for (int i = 0; i < 5; ++i) {
    const double start = now();
    result = line_mixes(job);
    const double rate = static_cast<double>(result.accesses) / (now() - start) / 1e6;
    best = std::max(best, rate);
    worst = std::min(worst, rate);
  }
  std::printf("%-14s %7d %9.1f (%5.1f) %9.0f %9.2f M", generator.name.data(), workers, best, worst, result.sampling,
              static_cast<double>(result.accesses) / 1e6);
  if (errors) {
    LinesOptions fine;
    fine.most_lines *= 32;
    fine.most_accesses *= 4;
    const LinesResult finer = line_mixes(job, fine);
    if (finer.sampling < result.sampling) {
      const Difference d = difference(job, result, finer);
      std::printf(" %9.0f %7.4f %+9.1f %%", finer.sampling, d.fills, 100 * d.throughput);
    }
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const bool errors = argc < 2 || std::strcmp(argv[1], "--quick") != 0;
  const Model machine = model("epyc-7713");
  std::printf("%-14s %7s %17s %9s %11s%s\n", "generator", "workers", "M/s best (worst)", "1 line in", "accesses",
              errors ? " finer: 1 in, fills off, throughput" : "");
  for (const Generator* generator : generators()) {
    for (const int workers : {8, 64}) lines(machine, *generator, workers, errors);
  }
  const Model two = model("2x7713");
  for (const char* spec : {"bfs", "sweep:mb=24@10+all-to-all@5"}) {
    const double start = now();
    for (const char* policy : {"charm", "ring", "shoal", "os"}) run(two, spec, policy, 64);
    std::printf("%-28s four policies, 64 workers, 60 simulated seconds: %.3f s\n", spec, now() - start);
  }
}
