#include "compare/run.hpp"

#include <algorithm>

#include "compare/order.hpp"

namespace charm::compare {
namespace {

bool went_wrong(const os::ChildResult& child) {
  return child.start_error != 0 || child.exit_code != 0 || child.signal != 0;
}

class Session {
 public:
  Session(const Request& request, const Launch& launch, const OnProgress& progress, Outcome& outcome)
      : request_(request), launch_(launch), progress_(progress), outcome_(outcome) {
    all_ = (request.rounds + request.warm_ups) * request.programs.size();
  }

  /// \return false if this was the last run.
  bool run(std::size_t program, std::size_t round, bool warm_up) {
    progress_(done_++, all_);
    Sample run = launch_(request_.programs[program]);
    if (run.child.interrupted != 0) {
      outcome_.interrupted = run.child.interrupted;
      return false;
    }
    if (went_wrong(run.child)) {
      if (!request_.ignore_failure || run.child.start_error != 0) {
        outcome_.failed = Failed{program, round, warm_up, run.child};
        return false;
      }
      ++outcome_.failed_runs;
    }
    if (!warm_up) outcome_.series[program].runs.push_back(std::move(run));
    return true;
  }

 private:
  const Request& request_;
  const Launch& launch_;
  const OnProgress& progress_;
  Outcome& outcome_;
  std::size_t done_ = 0;
  std::size_t all_ = 0;
};

bool run_all(const Request& request, Session& session, Outcome& outcome) {
  for (std::size_t round = 0; round < request.warm_ups; ++round) {
    for (std::size_t program = 0; program < request.programs.size(); ++program) {
      if (!session.run(program, round, true)) return false;
    }
  }
  for (std::size_t round = 0; round < request.rounds; ++round) {
    for (const std::size_t program : outcome.order[round]) {
      if (!session.run(program, round, false)) return false;
    }
  }
  return true;
}

std::size_t most_counts(const Outcome& outcome) {
  std::size_t most = 0;
  for (const Series& series : outcome.series) {
    for (const Sample& run : series.runs) most = std::max(most, run.counts.size());
  }
  return most;
}

Comparison against_first(const Outcome& outcome, std::size_t second) {
  const Series& a = outcome.series.front();
  const Series& b = outcome.series[second];
  Comparison comparison;
  comparison.second = second;
  comparison.wall = paired_ratio(a.wall(), b.wall(), outcome.seed);
  comparison.fastest = fastest_ratio(a.wall(), b.wall(), outcome.seed);
  comparison.ranks = rank_sum(a.wall(), b.wall());
  comparison.cpu = paired_ratio(a.cpu(), b.cpu(), outcome.seed);
  comparison.peak = paired_ratio(a.peak(), b.peak(), outcome.seed);
  for (std::size_t i = 0; i < most_counts(outcome); ++i) {
    const auto of_a = a.count(i);
    const auto of_b = b.count(i);
    comparison.counts.push_back(of_a.size() == of_b.size() ? paired_ratio(of_a, of_b, outcome.seed) : std::nullopt);
  }
  comparison.verdict =
      judge({comparison.wall, comparison.fastest, comparison.ranks}, static_cast<int>(outcome.rounds), outcome.rules);
  return comparison;
}

}  // namespace

Outcome compare_programs(const Request& request, const Launch& launch, const OnProgress& progress) {
  Outcome outcome;
  outcome.seed = request.seed;
  outcome.rounds = request.rounds;
  outcome.warm_ups = request.warm_ups;
  outcome.rules = request.rules;
  outcome.order = make_order(request.programs.size(), request.rounds, request.seed);
  for (const Program& program : request.programs) outcome.series.push_back({program, {}});
  Session session(request, launch, progress, outcome);
  if (!run_all(request, session, outcome)) return outcome;
  for (std::size_t second = 1; second < outcome.series.size(); ++second) {
    outcome.comparisons.push_back(against_first(outcome, second));
  }
  return outcome;
}

}  // namespace charm::compare
