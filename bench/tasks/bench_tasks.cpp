// Task programs and single operations on CHARM and its peers in one process run, trials interleaved.
//   bench-tasks [--workers N,...] [--trials K] [--program NAME,...] [--runtime NAME,...] [--json | --markdown]
// A row's value is the median over its trials; a runtime whose answer differs from the others' fails the run (exit 1).
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <tuple>
#include <unistd.h>
#include <vector>

#include <CLI/CLI.hpp>

#include "cases.hpp"
#include "tables.hpp"

namespace {

using namespace charm::bench;

/// What fills the table. A further program or peer is a file of its own and a line here.
constexpr void (*sources[])(Cases&) = {
    add_programs, add_work_bars, add_exchange_bars, add_fiber_bars,
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
#if defined(CHARM_BENCH_DISPENSO)
    add_dispenso,
#endif
};

bool chosen(const std::vector<std::string>& names, const std::string& name) {
  return names.empty() || std::find(names.begin(), names.end(), name) != names.end();
}

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

/// On a terminal that knows colours, unless NO_COLOR is set and not empty (https://no-color.org).
bool colour_on_stdout() {
  const char* no_color = std::getenv("NO_COLOR");
  const char* term = std::getenv("TERM");
  return isatty(STDOUT_FILENO) != 0 && (no_color == nullptr || *no_color == '\0') && term != nullptr &&
         std::string(term) != "dumb";
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

}  // namespace

int main(int count, char** arguments) {
  CLI::App app{"Task programs and single operations on CHARM and its peers"};
  std::vector<int> workers{1, 2};
  std::vector<std::string> programs;
  std::vector<std::string> runtimes;
  int trials = 5;
  bool json = false;
  bool markdown = false;
  app.add_option("--workers", workers, "numbers of workers")->delimiter(',')->check(CLI::PositiveNumber);
  app.add_option("--program", programs, "only these programs")->delimiter(',');
  app.add_option("--runtime", runtimes, "only these runtimes")->delimiter(',');
  app.add_option("--trials", trials, "trials of each row")->check(CLI::Range(1, 1000));
  auto* as_json = app.add_flag("--json", json, "print JSON");
  app.add_flag("--markdown", markdown, "print CHARM beside its best peer, as a table for a page")->excludes(as_json);
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
  else if (markdown)
    print_markdown(rows);
  else
    print_text(rows, colour_on_stdout());
}
