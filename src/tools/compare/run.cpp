#include "tools/compare/run.hpp"

#include <algorithm>

#include "tools/compare/order.hpp"
#include "tools/compare/remaining.hpp"

namespace charm::compare {
namespace {

bool went_wrong(const os::ChildResult& child) {
  return child.start_error != 0 || child.exit_code != 0 || child.signal != 0;
}

class Session {
 public:
  Session(const Request& request, const Callbacks& callbacks, Outcome& outcome)
      : request_(request),
        callbacks_(callbacks),
        outcome_(outcome),
        remaining_(request.programs.size(), request.warm_ups + request.rounds),
        all_((request.rounds + request.warm_ups) * request.programs.size()) {}

  /// \return false if nothing more is to run.
  bool set_up() {
    for (; ready_ < request_.programs.size(); ++ready_) {
      if (!command(ready_, request_.programs[ready_].setup, "--setup", 0, true)) return false;
    }
    return true;
  }

  /// Also of the program whose set-up failed: it may have left a part of what it makes. A failure before is the one
  /// that is told.
  void clean_up() {
    for (std::size_t p = 0; p < std::min(ready_ + 1, request_.programs.size()); ++p)
      command(p, request_.programs[p].cleanup, "--cleanup", 0, false);
  }

  bool run_all() {
    for (std::size_t round = 0; round < request_.warm_ups; ++round) {
      for (std::size_t program = 0; program < request_.programs.size(); ++program) {
        if (!run(program, round, Purpose::warm_up)) return false;
      }
    }
    started_ = now();
    std::size_t rounds = 0;
    for (std::size_t round = 0; !is_time(round); ++round) {
      for (const std::size_t program : outcome_.order[round]) {
        if (!run(program, round, Purpose::measure)) return false;
      }
      rounds = round + 1;
    }
    outcome_.rounds = rounds;
    outcome_.order.resize(rounds);
    return true;
  }

 private:
  [[nodiscard]] double now() const { return callbacks_.now ? callbacks_.now() : 0; }

  [[nodiscard]] bool is_time(std::size_t round) const {
    if (round >= request_.rounds) return true;
    return request_.seconds && round >= std::min(Request::least_rounds, request_.rounds) &&
           now() - started_ >= *request_.seconds;
  }

  [[nodiscard]] std::optional<double> seconds_left() const {
    const auto by_runs = callbacks_.now ? remaining_.seconds() : std::nullopt;
    if (!by_runs || !request_.seconds || done_ < request_.warm_ups * request_.programs.size()) {
      return request_.seconds && by_runs ? std::optional(std::min(*by_runs, *request_.seconds)) : by_runs;
    }
    return std::min(*by_runs, std::max(0.0, started_ + *request_.seconds - now()));
  }

  bool run(std::size_t program, std::size_t round, Purpose purpose) {
    const bool warm_up = purpose == Purpose::warm_up;
    if (callbacks_.progress) callbacks_.progress(done_, all_, seconds_left());
    ++done_;
    const double begun = now();
    const Program& which = request_.programs[program];
    if (!command(program, which.prepare, "--prepare", round, warm_up)) return false;
    const double started = now();
    Sample run = callbacks_.launch(which, purpose);
    remaining_.done(program, now() - begun);
    if (run.child.interrupted != 0) {
      outcome_.interrupted = run.child.interrupted;
      return false;
    }
    if (went_wrong(run.child)) {
      if (!request_.ignore_failure || run.child.start_error != 0) {
        outcome_.failed = Failed{program, round, warm_up, {}, run.child};
        return false;
      }
      ++outcome_.failed_runs;
    }
    if (!warm_up) {
      run.started_s = started - started_;
      outcome_.series[program].runs.push_back(std::move(run));
    } else if (run.child.output) {
      outcome_.series[program].outputs.push_back({run.child.output->hash, run.child.output->bytes});
    }
    return true;
  }

  bool command(std::size_t program, const std::string& text, const char* which, std::size_t round, bool warm_up) {
    if (text.empty() || !callbacks_.shell) return true;
    const os::ChildResult child = callbacks_.shell(text);
    if (child.interrupted != 0 && outcome_.interrupted == 0) outcome_.interrupted = child.interrupted;
    if (went_wrong(child) && child.interrupted == 0 && !outcome_.failed)
      outcome_.failed = Failed{program, round, warm_up, {which, text}, child};
    return child.interrupted == 0 && !went_wrong(child);
  }

  const Request& request_;
  const Callbacks& callbacks_;
  Outcome& outcome_;
  Remaining remaining_;
  std::size_t ready_ = 0;  // programs that are set up
  std::size_t done_ = 0;
  std::size_t all_ = 0;
  double started_ = 0;  // of the first measured run
};

std::size_t most_counts(const Outcome& outcome) {
  std::size_t most = 0;
  for (const Series& series : outcome.series) {
    for (const Sample& run : series.runs) most = std::max(most, run.counts.size());
  }
  return most;
}

/// A program may end with an error by its nature (`grep` without a match), but then in all runs and both of them alike.
std::string why_no_verdict(const Series& a, const Series& b) {
  const auto killed = [](const Series& series) {
    return std::any_of(series.runs.begin(), series.runs.end(), [](const Sample& run) { return run.child.signal != 0; });
  };
  const std::string of_a = a.failures();
  const std::string of_b = b.failures();
  if (of_a == of_b && !killed(a)) return "";
  std::string text;
  if (!of_a.empty()) text = a.program.name + ": " + of_a;
  if (!of_b.empty()) text += (text.empty() ? "" : "; ") + b.program.name + ": " + of_b;
  return text;
}

Comparison against_first(const Outcome& outcome, std::size_t second) {
  const Series& a = outcome.series.front();
  const Series& b = outcome.series[second];
  Comparison comparison;
  comparison.second = second;
  const std::size_t comparisons = outcome.series.size() - 1;
  comparison.wall = paired_ratio(a.wall(), b.wall(), outcome.seed, comparisons);
  comparison.fastest = fastest_ratio(a.wall(), b.wall(), outcome.seed, comparisons);
  comparison.ranks = rank_sum(a.wall(), b.wall());
  comparison.cpu = paired_ratio(a.cpu(), b.cpu(), outcome.seed);
  comparison.peak = paired_ratio(a.peak(), b.peak(), outcome.seed);
  for (std::size_t i = 0; i < most_counts(outcome); ++i) {
    const auto of_a = a.count(i);
    const auto of_b = b.count(i);
    comparison.counts.push_back(of_a.size() == of_b.size() ? paired_ratio(of_a, of_b, outcome.seed) : std::nullopt);
  }
  comparison.no_verdict = why_no_verdict(a, b);
  if (!comparison.no_verdict.empty()) return comparison;
  comparison.verdict =
      judge({comparison.wall, comparison.fastest, comparison.ranks}, static_cast<int>(outcome.rounds), outcome.rules);
  return comparison;
}

}  // namespace

Outcome compare_programs(const Request& request, const Callbacks& callbacks) {
  Outcome outcome;
  outcome.seed = request.seed;
  outcome.rounds = request.rounds;
  outcome.warm_ups = request.warm_ups;
  outcome.rules = request.rules;
  outcome.order = make_order(request.programs.size(), request.rounds, request.seed);
  for (const Program& program : request.programs) outcome.series.push_back({program, {}, {}});
  Session session(request, callbacks, outcome);
  const bool done = session.set_up() && session.run_all();
  session.clean_up();
  if (!done || outcome.failed || outcome.interrupted != 0) return outcome;
  for (std::size_t second = 1; second < outcome.series.size(); ++second) {
    outcome.comparisons.push_back(against_first(outcome, second));
  }
  return outcome;
}

}  // namespace charm::compare
