// Task programs and single operations on CHARM and its peers in one process run, trials interleaved.
//   bench-tasks [--workers N,...] [--trials K] [--program NAME,...] [--runtime NAME,...] [--json]
// A row's value is the median over its trials; a runtime whose answer differs from the others' fails the run (exit 1).
#include <algorithm>
#include <cstdio>
#include <map>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "cases.hpp"

namespace {

using namespace charm::bench;

/// What fills the table. A further program or peer is a file of its own and a line here.
constexpr void (*sources[])(Cases&) = {
    add_programs, add_bars, add_fiber_bars,
#if defined(CHARM_BENCH_LIBFORK)
    add_libfork,
#endif
#if defined(CHARM_BENCH_TASKFLOW)
    add_taskflow,
#endif
#if defined(CHARM_BENCH_CITOR)
    add_citor,
#endif
#if defined(CHARM_BENCH_TMC)
    add_tmc,
#endif
};

struct Row {
  const Case* origin;
  int workers;
  std::vector<double> values;
  long peak_rss_bytes = 0;

  [[nodiscard]] double median() const {
    std::vector<double> sorted = values;
    std::sort(sorted.begin(), sorted.end());
    return sorted[sorted.size() / 2];
  }
};

bool chosen(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

bool is_serial(const Case& c) { return c.runtime == "serial"; }

std::vector<Row> make_rows(const Cases& cases, const std::vector<int>& workers,
                           const std::vector<std::string>& programs, const std::vector<std::string>& runtimes) {
  std::vector<Row> rows;
  for (const Case& c : cases) {
    if (!chosen(programs, c.program) || !chosen(runtimes, c.runtime)) continue;
    for (int w : workers) {
      if (is_serial(c) ? w == workers.front() : w >= c.least_workers) rows.push_back({&c, is_serial(c) ? 1 : w, {}, 0});
    }
  }
  std::map<std::string, std::size_t> order;  // programs stay together, in the order in which they were registered
  for (const Case& c : cases) order.emplace(c.program, order.size());
  std::sort(rows.begin(), rows.end(), [&](const Row& a, const Row& b) {
    return std::tuple(order[a.origin->program], a.origin, a.workers) <
           std::tuple(order[b.origin->program], b.origin, b.workers);
  });
  return rows;
}

/// \return false where runtimes disagree; says so.
bool run_trial(std::vector<Row>& rows, std::map<std::string, std::int64_t>& answers) {
  for (Row& row : rows) {
    const Sample sample = row.origin->run(row.workers);
    const auto [known, first] = answers.emplace(row.origin->program, sample.answer);
    if (known->second != sample.answer) {
      std::fprintf(stderr, "bench-tasks: %s on %s with %d workers answers %lld, expected %lld\n",
                   row.origin->program.c_str(), row.origin->runtime.c_str(), row.workers,
                   static_cast<long long>(sample.answer), static_cast<long long>(known->second));
      return false;
    }
    row.values.push_back(sample.value);
    row.peak_rss_bytes = std::max(row.peak_rss_bytes, sample.peak_rss_bytes);
  }
  return true;
}

void print_json(const std::vector<Row>& rows) {
  nlohmann::ordered_json results = nlohmann::ordered_json::array();
  for (const Row& row : rows) {
    const auto [low, high] = std::minmax_element(row.values.begin(), row.values.end());
    results.push_back({{"program", row.origin->program},
                       {"runtime", row.origin->runtime},
                       {"workers", row.workers},
                       {"value", row.median()},
                       {"unit", row.origin->unit},
                       {"min", *low},
                       {"max", *high},
                       {"peak_rss_bytes", row.peak_rss_bytes}});
  }
  std::printf("%s\n", nlohmann::ordered_json{{"results", results}}.dump(2).c_str());
}

void print_table(const std::vector<Row>& rows) {
  std::map<std::pair<std::string, int>, double> best_peer;
  for (const Row& row : rows) {
    if (is_serial(*row.origin) || row.origin->runtime == "charm") continue;
    auto [best, first] = best_peer.emplace(std::pair(row.origin->program, row.workers), row.median());
    best->second = std::min(best->second, row.median());
  }
  std::printf("%-21s %-8s %7s %11s %11s %11s  %-10s %12s %9s\n", "program", "runtime", "workers", "median", "min",
              "max", "unit", "of best peer", "peak MiB");
  for (const Row& row : rows) {
    const auto [low, high] = std::minmax_element(row.values.begin(), row.values.end());
    const auto peer = best_peer.find({row.origin->program, row.workers});
    char ratio[32] = "-";
    if (peer != best_peer.end()) std::snprintf(ratio, sizeof ratio, "%.2f", row.median() / peer->second);
    std::printf("%-21s %-8s %7d %11.2f %11.2f %11.2f  %-10s %12s %9.1f\n", row.origin->program.c_str(),
                row.origin->runtime.c_str(), row.workers, row.median(), *low, *high, row.origin->unit.c_str(), ratio,
                static_cast<double>(row.peak_rss_bytes) / (1 << 20));
  }
}

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Task programs and single operations on CHARM and its peers"};
  std::vector<int> workers{1, 2};
  std::vector<std::string> programs;
  std::vector<std::string> runtimes;
  int trials = 5;
  bool json = false;
  app.add_option("--workers", workers, "numbers of workers")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--program", programs, "only these programs")->delimiter(',');
  app.add_option("--runtime", runtimes, "only these runtimes")->delimiter(',');
  app.add_option("--trials", trials, "trials of each row")->check(CLI::Range(1, 1000));
  app.add_flag("--json", json, "print JSON");
  CLI11_PARSE(app, count, arguments);

  Cases cases;
  for (auto add : sources) add(cases);
  std::vector<Row> rows = make_rows(cases, workers, programs, runtimes);
  if (rows.empty()) {
    std::string known;
    for (const Case& c : cases) {
      if ((" " + known).find(" " + c.program + ",") == std::string::npos) known += c.program + ", ";
    }
    std::fprintf(stderr, "bench-tasks: nothing of that name, or not with that many workers; there are %s\n",
                 known.substr(0, known.size() - 2).c_str());
    return 2;
  }
  std::map<std::string, std::int64_t> answers;
  try {
    for (int trial = 0; trial < trials; ++trial) {
      if (isatty(STDERR_FILENO) != 0) std::fprintf(stderr, "trial %d of %d\n", trial + 1, trials);
      if (!run_trial(rows, answers)) return 1;
    }
  } catch (const std::exception& error) {
    std::fprintf(stderr, "bench-tasks: %s\n", error.what());
    return 2;
  }
  if (json)
    print_json(rows);
  else
    print_table(rows);
}
