// bench_controller_cost [PAIRS] [PROGRAM]: what measuring and deciding cost a running program. The same program runs
// under a policy that does not move workers and under `adaptive`, in turns within one process, and the geometric mean
// of the ratios of neighbouring runs is printed with its 95 % interval.
//
// Three settings: this machine against `local` and against `os`, and a described machine with more chiplets than
// workers need, where the controller is always active (it publishes, probes and changes cores) and no core is faster
// than another, because nothing is bound. So the last one shows the cost without any gain.
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

/// On a thread of its own: the one that calls init() gets bound.
double run_once(const Program& program, const charm::Config& config, double* decided) {
  double seconds = 0;
  std::thread([&] {
    charm::init(config);
    program.seconds();  // threads, stacks, caches
    seconds = program.seconds();
    if (decided != nullptr) *decided += static_cast<double>(charm::decisions().size());
    charm::finalize();
  }).join();
  return seconds;
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values.empty() ? 0 : (values[(values.size() - 1) / 2] + values[values.size() / 2]) / 2;
}

void compare(const char* title, const std::vector<Program>& all, const std::string& only, int pairs,
             charm::Config still, charm::Config adaptive) {
  std::printf("%s\n%-20s %10s %10s %9s %18s %10s %s\n", title, "program", "still (s)", "adaptive", "cost",
              "95 % interval", "minima", "decisions");
  for (const Program& program : all) {
    if (!only.empty() && program.name != only) continue;
    std::vector<double> a;
    std::vector<double> b;
    std::vector<double> logs;
    double decided = 0;
    for (int pair = 0; pair < pairs; ++pair) {
      double first = 0;
      double second = 0;
      if (pair % 2 == 0) {
        first = run_once(program, still, nullptr);
        second = run_once(program, adaptive, &decided);
      } else {
        second = run_once(program, adaptive, &decided);
        first = run_once(program, still, nullptr);
      }
      a.push_back(first);
      b.push_back(second);
      logs.push_back(std::log(second / first));
    }
    double mean = 0;
    for (double l : logs) mean += l / pairs;
    double variance = 0;
    for (double l : logs) variance += (l - mean) * (l - mean) / std::max(1, pairs - 1);
    const double error = 1.96 * std::sqrt(variance / pairs) * (1 + 2.0 / pairs);  // Student's t, nearly
    const double minima = *std::min_element(b.begin(), b.end()) / *std::min_element(a.begin(), a.end());
    std::printf("%-20s %10.4f %10.4f %+8.2f %% [%+6.2f, %+6.2f] %% %+8.2f %% %9.0f\n", program.name.c_str(), median(a),
                median(b), 100 * std::expm1(mean), 100 * std::expm1(mean - error), 100 * std::expm1(mean + error),
                100 * (minima - 1), decided);
    std::fflush(stdout);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const int pairs = argc > 1 ? std::max(2, std::atoi(argv[1])) : 15;
  const std::string only = argc > 2 ? argv[2] : "";
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
  compare("4 chiplets of paper, local against adaptive", all, only, pairs, config("local", paper.c_str()),
          config("adaptive", paper.c_str()));
  compare("this machine, local against adaptive", all, only, pairs, config("local", nullptr),
          config("adaptive", nullptr));
  compare("this machine, os against adaptive", all, only, pairs, config("os", nullptr), config("adaptive", nullptr));
  return 0;
}
