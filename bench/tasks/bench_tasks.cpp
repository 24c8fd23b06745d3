// Task programs on CHARM and its peers in one process run, trials interleaved: serial, CHARM, OpenMP and oneTBB.
//   bench-tasks [--workers N,...] [--trials K] [--program NAME,...] [--json]
// A row's value is the median over its trials; a runtime that disagrees with the serial answer fails the run (exit 1).
#include <charm/charm.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <functional>
#include <map>
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

struct Sample {
  double seconds = 0;
  std::int64_t answer = 0;
  long peak_rss_bytes = 0;
};

/// One program on one runtime. A row's value is seconds * 1e9 / units for units > 0, else milliseconds.
struct Case {
  std::string program, runtime, unit;
  double units;
  std::function<Sample(int workers)> run;
};

struct Row {
  Case* origin;
  int workers;
  std::vector<double> values;
  long peak_rss_bytes = 0;
};

long peak_rss_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmHWM:", 0) == 0) return std::atol(line.c_str() + 6) * 1024;
  }
  return 0;
}

/// Runs `body` on a fresh runtime, once to warm up and once timed. On a thread of its own: CHARM binds the thread that
/// starts it, and the threads of the others would inherit that.
template <class R, class F>
Sample timed(int workers, const F& body) {
  Sample sample;
  std::thread([&] {
    R runtime(workers);
    std::ofstream("/proc/self/clear_refs") << "5";
    runtime.run([&] { sample.answer = body(); });
    auto start = std::chrono::steady_clock::now();
    runtime.run([&] { sample.answer = body(); });
    sample.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    sample.peak_rss_bytes = peak_rss_bytes();
  }).join();
  return sample;
}

template <class R>
void add_cases(std::vector<Case>& cases) {
  auto add = [&](const char* program, const char* unit, double units, auto body) {
    cases.push_back({program, R::name, unit, units, [body](int workers) { return timed<R>(workers, body); }});
  };
  add("fib", "ns/spawn", 3524577, [] {
    const volatile std::int64_t n =
        32;            // not known to the compiler, which would compute the serial answer once for all
    return fib<R>(n);  // fib(33) - 1 spawns
  });
  add("skynet", "ns/task", 1111110, [] { return skynet<R>(0, 1000000); });
  add("nqueens", "ms", 0, [] { return queens<R>(12, 0, Board{}); });
  add("matmul", "ms", 0, [] { return matmul<R>(768); });
  add("uts", "ns/node", 4130071, [] { return uts<R>(uts_root(19), 0); });
  add("integrate", "ms", 0, [] {
    double area = (integrand(0) + integrand(2000)) * 2000 / 2;
    return std::llround(integrate<R>(0, integrand(0), 2000, integrand(2000), area));
  });
  add("quicksort", "ms", 0, [] { return sorted<R>(4000000); });
  add("heat", "ms", 0, [] { return heat<R>(1024, 100); });
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Task programs on CHARM and its peers"};
  std::vector<int> workers{1, 2};
  std::vector<std::string> programs;
  int trials = 5;
  bool json = false;
  app.add_option("--workers", workers, "numbers of workers")->delimiter(',');
  app.add_option("--program", programs, "only these programs")->delimiter(',');
  app.add_option("--trials", trials, "trials of each row")->check(CLI::Range(1, 1000));
  app.add_flag("--json", json, "print JSON");
  CLI11_PARSE(app, count, arguments);

  std::vector<Case> cases;
  add_cases<Serial>(cases);
  add_cases<Charm>(cases);
#if defined(CHARM_BENCH_OPENMP)
  add_cases<OpenMp>(cases);
#endif
#if defined(CHARM_BENCH_TBB)
  add_cases<Tbb>(cases);
#endif

  std::vector<Row> rows;
  for (Case& c : cases) {
    if (!programs.empty() && std::find(programs.begin(), programs.end(), c.program) == programs.end()) continue;
    for (int w : workers) {
      if (c.runtime != "serial" || w == workers.front()) rows.push_back({&c, c.runtime == "serial" ? 1 : w, {}, 0});
    }
  }
  if (rows.empty()) {
    std::fprintf(stderr,
                 "bench-tasks: no program of that name; there are fib, skynet, nqueens, matmul, uts, integrate, "
                 "quicksort, heat\n");
    return 2;
  }
  std::sort(rows.begin(), rows.end(), [](const Row& a, const Row& b) {
    return std::tie(a.origin->program, a.origin, a.workers) < std::tie(b.origin->program, b.origin, b.workers);
  });

  std::map<std::string, std::int64_t> answers;
  try {
    for (int trial = 0; trial < trials; ++trial) {
      if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "trial %d of %d\n", trial + 1, trials);
      for (Row& row : rows) {
        Sample sample = row.origin->run(row.workers);
        auto [known, first] = answers.emplace(row.origin->program, sample.answer);
        if (known->second != sample.answer) {
          std::fprintf(stderr, "bench-tasks: %s on %s with %d workers answers %lld, expected %lld\n",
                       row.origin->program.c_str(), row.origin->runtime.c_str(), row.workers,
                       static_cast<long long>(sample.answer), static_cast<long long>(known->second));
          return 1;
        }
        double units = row.origin->units;
        row.values.push_back(units > 0 ? sample.seconds * 1e9 / units : sample.seconds * 1e3);
        row.peak_rss_bytes = std::max(row.peak_rss_bytes, sample.peak_rss_bytes);
      }
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-tasks: %s\n", error.what());
    return 2;
  }

  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  if (!json)
    std::printf("%-10s %-8s %7s %12s %12s %12s  %-9s %9s\n", "program", "runtime", "workers", "median", "min", "max",
                "unit", "peak MiB");
  for (const Row& row : rows) {
    auto [low, high] = std::minmax_element(row.values.begin(), row.values.end());
    if (json) {
      results.push_back({{"program", row.origin->program},
                         {"runtime", row.origin->runtime},
                         {"workers", row.workers},
                         {"value", median(row.values)},
                         {"unit", row.origin->unit},
                         {"min", *low},
                         {"max", *high},
                         {"peak_rss_bytes", row.peak_rss_bytes}});
    } else {
      std::printf("%-10s %-8s %7d %12.2f %12.2f %12.2f  %-9s %9.1f\n", row.origin->program.c_str(),
                  row.origin->runtime.c_str(), row.workers, median(row.values), *low, *high, row.origin->unit.c_str(),
                  static_cast<double>(row.peak_rss_bytes) / (1 << 20));
    }
  }
  if (json) std::printf("%s\n", nlohmann::ordered_json{{"results", results}}.dump(2).c_str());
}
