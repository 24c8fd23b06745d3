// The cost of recording a run: the programs of bench-tasks on CHARM, without and with CHARM_TRACE, in pairs whose order
// alternates. The time of writing the file does not count, because it is written after the program's work.
//   bench-trace [--workers N,...] [--trials K] [--cpu] [--json]
// --cpu: processor time of the process in place of elapsed time, for one worker on a machine that does other things,
// too. `cost` is the ratio of the fastest runs, minus 1: on a machine that does other things, too, what disturbs a run
// makes it slower and never faster. `low` and `high` are the quartiles of the pairs' ratios, minus 1.
#include <charm/charm.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <functional>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "programs.hpp"
#include "runtimes.hpp"

namespace {

using namespace charm::bench;

struct Program {
  const char* name;
  std::function<std::int64_t()> run;
};

double now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_nsec) * 1e-9;
}

/// Seconds of the second of two runs, on a thread of its own since CHARM binds the one that starts it.
double timed(const Program& program, int workers, const std::string& trace, clockid_t clock) {
  double seconds = 0;
  std::thread([&] {
    charm::Config config;
    config.workers = workers;
    config.trace = trace;
    config.trace_bytes = std::size_t{256} << 20;
    charm::init(config);
    charm::run([&] { return program.run(); });
    const double start = now(clock);
    charm::run([&] { return program.run(); });
    seconds = now(clock) - start;
    charm::finalize();
  }).join();
  return seconds;
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"The cost of recording a run"};
  std::vector<int> workers{1, 2};
  int trials = 11;
  bool json = false;
  bool cpu = false;
  app.add_option("--workers", workers, "numbers of workers")->delimiter(',');
  app.add_option("--trials", trials, "pairs of runs of each row")->check(CLI::Range(1, 1000));
  app.add_flag("--cpu", cpu, "processor time in place of elapsed time");
  app.add_flag("--json", json, "print JSON");
  CLI11_PARSE(app, count, arguments);

  const clockid_t clock = cpu ? CLOCK_PROCESS_CPUTIME_ID : CLOCK_MONOTONIC;
  const std::vector<Program> programs = {
      {"fib", [] { return fib<Charm>(30); }},
      {"skynet", [] { return skynet<Charm>(0, 100000); }},
      {"nqueens", [] { return queens<Charm>(10, 0, Board{}); }},
      {"matmul", [] { return matmul<Charm>(384); }},
      {"uts", [] { return uts<Charm>(uts_root(19), 3); }},
      {"quicksort", [] { return sorted<Charm>(1000000); }},
      {"heat", [] { return heat<Charm>(512, 50); }},
  };
  const std::string file =
      (std::filesystem::temp_directory_path() / ("bench-trace-" + std::to_string(getpid()) + ".json")).string();
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  if (!json)
    std::printf("%-10s %7s %10s %10s %8s %8s %8s\n", "program", "workers", "off, ms", "on, ms", "cost", "low", "high");
  try {
    for (const Program& program : programs) {
      for (int w : workers) {
        std::vector<double> off;
        std::vector<double> on;
        std::vector<double> ratios;
        for (int trial = 0; trial < trials; ++trial) {
          for (int turn = 0; turn < 2; ++turn) {
            if ((turn + trial) % 2 == 0)
              off.push_back(timed(program, w, "", clock));
            else
              on.push_back(timed(program, w, file, clock));
          }
          ratios.push_back(on.back() / off.back());
        }
        std::sort(ratios.begin(), ratios.end());
        const double best_off = *std::min_element(off.begin(), off.end());
        const double best_on = *std::min_element(on.begin(), on.end());
        const double low = ratios[ratios.size() / 4] - 1;
        const double high = ratios[ratios.size() * 3 / 4] - 1;
        if (json) {
          results.push_back({{"program", program.name},
                             {"workers", w},
                             {"off_seconds", best_off},
                             {"on_seconds", best_on},
                             {"cost", best_on / best_off - 1},
                             {"low", low},
                             {"high", high}});
        } else {
          std::printf("%-10s %7d %10.3f %10.3f %7.1f%% %7.1f%% %7.1f%%\n", program.name, w, best_off * 1e3,
                      best_on * 1e3, (best_on / best_off - 1) * 100, low * 100, high * 100);
          std::fflush(stdout);
        }
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-trace: %s\n", error.what());
    return 2;
  }
  std::filesystem::remove(file);
  if (json) std::printf("%s\n", nlohmann::ordered_json{{"results", results}}.dump(2).c_str());
}
