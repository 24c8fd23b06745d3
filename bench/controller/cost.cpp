// bench_controller_cost [PAIRS [PROGRAM [SECONDS]]]: what measuring and deciding cost a running program, by the clock.
// The same program runs again and again for SECONDS under a policy that does not move workers, and for as long under
// `adaptive`, in turns within one process. The geometric mean of the ratios of neighbours is printed with its 95 %
// interval.
//
// Three settings: a described machine with more chiplets than workers need, where no core is faster than another,
// because nothing is bound; and this machine against `local` and against `os`. In the first the controller has
// parameters with which it tries other levels all the time, so the cost is that of more decisions than the default one
// makes, without any gain. A figure is printed only if decisions were made; otherwise it would not be the cost of any.
#include <charm/charm.hpp>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <string>
#include <thread>
#include <vector>

#include "controller/programs.hpp"

namespace {

using cost::Program;

struct Slice {
  double seconds = 0;  // of a run, on average
  std::size_t decisions = 0, ticks = 0;
  bool controlled = false;
};

/// On a thread of its own: the one that calls init() gets bound.
Slice slice(const Program& program, const charm::Config& config, double seconds) {
  Slice result;
  std::thread([&] {
    charm::init(config);
    program.seconds();  // threads, stacks, caches
    double sum = 0;
    int runs = 0;
    do {
      sum += program.seconds();
      ++runs;
    } while (sum < seconds);
    result = {sum / runs, charm::decisions().size(), charm::timeline().size(), charm::stats().adapts};
    charm::finalize();
  }).join();
  return result;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

struct Options {
  int pairs = 15;
  std::string only;
  double seconds = 1;  // of a slice
};

void compare(const char* title, const std::vector<Program>& all, const Options& options, const charm::Config& still,
             const charm::Config& adaptive) {
  std::printf("%s: %s against %s\n%-20s %10s %10s %9s %18s %10s %7s %s\n", title, still.policy->c_str(),
              adaptive.policy->c_str(), "program", "still (s)", "adaptive", "cost", "95 % interval", "minima", "ticks",
              "decisions");
  const int pairs = options.pairs;
  for (const Program& program : all) {
    if (!options.only.empty() && program.name != options.only) continue;
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> logs;
    std::size_t decisions = 0;
    std::size_t ticks = 0;
    for (int pair = 0; pair < pairs; ++pair) {
      const bool still_first = pair % 2 == 0;
      const Slice first = slice(program, still_first ? still : adaptive, options.seconds);
      const Slice second = slice(program, still_first ? adaptive : still, options.seconds);
      const Slice& with = still_first ? second : first;
      if (!with.controlled) {
        std::printf("no figure: this policy has no controller here, since only one level of spread is possible\n\n");
        return;
      }
      a.push_back((still_first ? first : second).seconds);
      b.push_back(with.seconds);
      logs.push_back(std::log(b.back() / a.back()));
      decisions += with.decisions;
      ticks += with.ticks;
    }
    if (decisions == 0) {
      std::printf("%-20s no figure: no decision in %zu ticks; give it longer slices\n", program.name.c_str(), ticks);
      continue;
    }
    double mean = 0;
    for (double l : logs) mean += l / pairs;
    double variance = 0;
    for (double l : logs) variance += (l - mean) * (l - mean) / std::max(1, pairs - 1);
    const double error = 1.96 * std::sqrt(variance / pairs) * (1 + 2.0 / pairs);  // Student's t, nearly
    const double minima = *std::min_element(b.begin(), b.end()) / *std::min_element(a.begin(), a.end());
    std::printf("%-20s %10.4f %10.4f %+8.2f %% [%+6.2f, %+6.2f] %% %+8.2f %% %7zu %9zu\n", program.name.c_str(),
                median(a), median(b), 100 * std::expm1(mean), 100 * std::expm1(mean - error),
                100 * std::expm1(mean + error), 100 * (minima - 1), ticks, decisions);
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  Options options;
  if (argc > 1) options.pairs = std::max(2, std::atoi(argv[1]));
  if (argc > 2) options.only = argv[2];
  if (argc > 3) options.seconds = std::atof(argv[3]);
  const int workers = std::max(1, std::min(8, static_cast<int>(charm::Machine::discover().cores.size())));
  const auto graph = charm::workloads::Graph::generate({.scale = 16}, {"serial", 1});
  const auto all = cost::programs(graph, workers);
  auto config = [&](const char* policy, const char* topology) {
    charm::Config c;
    c.workers = workers;
    c.policy = policy;
    if (topology != nullptr) c.topology = topology;
    return c;
  };
  const std::string paper = "pack:1 l3:4 core:" + std::to_string(workers) + " pu:1";
  compare("4 chiplets of paper", all, options, config("local", paper.c_str()), config(cost::deciding, paper.c_str()));
  compare("this machine", all, options, config("local", nullptr), config("adaptive", nullptr));
  compare("this machine", all, options, config("os", nullptr), config("adaptive", nullptr));
  return 0;
}
