#include "tools/evaluate/evaluate.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <exception>
#include <numeric>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/compare/order.hpp"
#include "tools/evaluate/judge.hpp"

namespace charm::evaluate {
namespace {

constexpr int least_rounds = 3;        // below them no interval is worth anything
constexpr double longest_factor = 3;   // an experiment may take so many times what was estimated
constexpr double least_patience = 20;  // seconds that any experiment may take

/// A job's estimate, added up.
double seconds_of(const Plan& plan) {
  double sum = 0;
  for (const Job& job : plan.jobs) sum += job.seconds;
  return sum;
}

bool has_samples(const Point& point, const std::vector<Samples>& samples) {
  const auto has = [&](const std::string& name) {
    return name.empty() ||
           std::any_of(samples.begin(), samples.end(), [&](const Samples& s) { return s.name == name; });
  };
  return has(point.first) && has(point.second);
}

/// A quick run begins with what takes least, so that what it has no time for is as little as possible.
std::vector<std::size_t> order_of(const Evaluation& evaluation) {
  std::vector<std::size_t> order(evaluation.results.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  if (evaluation.extent == Extent::quick) {
    const auto key = [&](std::size_t i) { return std::pair(seconds_of(evaluation.results[i].plan), i); };
    std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return key(a) < key(b); });
  }
  return order;
}

class Stopped : public std::exception {};

class Runner {
 public:
  Runner(Evaluation& evaluation, Measuring& measuring, const Callbacks& callbacks, double limit_s)
      : evaluation_(evaluation), measuring_(measuring), callbacks_(callbacks), until_(callbacks.now() + limit_s) {
    all_ = seconds_left(evaluation);
  }

  /// \throws Stopped.
  void run(Result& result, const Experiment& experiment, const Context& context) {
    const double began = callbacks_.now();
    const auto meanwhile = callbacks_.watch ? callbacks_.watch() : nullptr;
    until_now_ = std::min(until_, began + std::max(least_patience, longest_factor * seconds_of(result.plan)));
    Result measured = result;
    measuring_.begin(result.plan);
    for (const Job& job : result.plan.jobs) {
      report(result.title, job.title);
      if (callbacks_.now() >= until_now_) {
        measured.problems.push_back(job.title + ": no time was left");
      } else {
        run_job(job, measured);
      }
      done_ += job.seconds;
    }
    if (experiment.derive != nullptr) experiment.derive(measured.samples);
    judge_points(measured.plan.points, measured.samples, evaluation_.seed);
    for (const Point& point : measured.plan.points) {
      if (has_samples(point, measured.samples) && undecided(point, measured.samples))
        measured.problems.push_back(point.series + ": the controller made no decision while it was measured");
    }
    measured.verdict = experiment.judge != nullptr ? experiment.judge(context, measured.plan.points)
                                                   : verdict_of(measured.plan.points, measured.plan.x);
    if (measured.verdict.finding == Finding::cannot_tell && !measured.problems.empty())
      measured.verdict.why += fmt::format(" ({})", measured.problems.front());
    measured.state = State::measured;
    measured.seconds = callbacks_.now() - began;
    if (meanwhile) note(measured, meanwhile());
    result = std::move(measured);
  }

  [[nodiscard]] bool time_is_up() const { return callbacks_.now() >= until_; }

 private:
  /// A verdict about a machine that others used is one about their programs.
  static void note(Result& measured, const Meanwhile& meanwhile) {
    measured.disturbances = meanwhile.disturbances;
    if (!meanwhile.too_busy || measured.verdict.finding == Finding::cannot_tell) return;
    measured.verdict = {Finding::cannot_tell,
                        fmt::format("other programs used the machine meanwhile; under their load it was {}: {}",
                                    words(measured.verdict.finding), measured.verdict.why)};
  }

  void report(const std::string& title, const std::string& doing) {
    if (!callbacks_.progress) return;
    const double left = std::max(0.0, all_ - done_);
    callbacks_.progress(title + ": " + doing, all_ > 0 ? done_ / all_ : 1, left * pace());
  }

  /// How much longer jobs take than was estimated.
  [[nodiscard]] double pace() const { return done_ > 0 && spent_ > 0 ? std::clamp(spent_ / done_, 0.2, 5.0) : 1; }

  void run_job(const Job& job, Result& into) {
    const double began = callbacks_.now();
    try {
      auto more = job.bench.empty() ? in_turns(job) : measuring_.bench(job, until_now_ - began);
      if (!job.bench.empty() && !job.prefix.empty()) {
        for (Samples& each : more) each.name.insert(0, job.prefix);
      }
      into.samples.insert(into.samples.end(), more.begin(), more.end());
    } catch (const Error& error) {
      if (measuring_.stopped()) throw Stopped();
      into.problems.push_back(job.title + ": " + error.what());
    }
    if (measuring_.stopped()) throw Stopped();
    spent_ += callbacks_.now() - began;
  }

  std::vector<Samples> in_turns(const Job& job) {
    std::vector<Samples> samples;
    for (const Variant& variant : job.variants)
      samples.push_back({variant.name, std::string(unit_of(variant.run)), more_is_better(variant.run), {}});
    const auto order = compare::make_order(job.variants.size(), static_cast<std::size_t>(job.rounds), evaluation_.seed);
    for (std::size_t round = 0; round < order.size(); ++round) {
      const double left = until_now_ - callbacks_.now();
      if (left <= 0 && round >= least_rounds) break;
      std::vector<double> values(job.variants.size());
      for (const std::size_t which : order[round]) {
        values[which] = measuring_.measure(job.variants[which], std::max(1.0, left));
        if (measuring_.stopped()) throw Stopped();
      }
      for (std::size_t i = 0; i < values.size(); ++i) samples[i].values.push_back(values[i]);
    }
    return samples;
  }

  Evaluation& evaluation_;
  Measuring& measuring_;
  const Callbacks& callbacks_;
  double until_, until_now_ = 0;
  double all_ = 0, done_ = 0, spent_ = 0;  // seconds: estimated, estimated of what is done, really taken
};

}  // namespace

std::vector<Result> planned(const std::vector<const Experiment*>& chosen, const Context& context) {
  std::vector<Result> all;
  for (const Experiment* experiment : chosen) {
    Result result;
    result.name = experiment->name;
    result.title = experiment->title;
    result.claim = experiment->claim;
    result.paper = experiment->paper;
    result.published = experiment->published;
    if (const std::string lacking = unmet(experiment->needs, context.facts); !lacking.empty()) {
      result.state = State::unmet;
      result.verdict = {Finding::cannot_tell, lacking};
    } else {
      result.plan = experiment->plan(context);
      predict(result.plan, context.model);
    }
    all.push_back(std::move(result));
  }
  return all;
}

void take_over(Evaluation& evaluation, const Evaluation& before) {
  const auto refuse = [](const std::string& why) {
    throw Error(Errc::bad_input, "--resume: " + why, "take another --output, without --resume");
  };
  if (before.machine.key != evaluation.machine.key) {
    refuse(fmt::format("that evaluation is of another machine or program ({}; this is {})", before.machine.key,
                       evaluation.machine.key));
  }
  if (before.extent != evaluation.extent)
    refuse(fmt::format("that evaluation was begun with --{}", name(before.extent)));
  if (before.only != evaluation.only) {
    refuse(before.only.empty() ? "that evaluation was begun with all experiments"
                               : fmt::format("that evaluation was begun with --only {}", fmt::join(before.only, ",")));
  }
  evaluation.started = before.started;
  evaluation.seed = before.seed;
  evaluation.conditions.insert(evaluation.conditions.begin(), before.conditions.begin(), before.conditions.end());
  for (Result& result : evaluation.results) {
    for (const Result& old : before.results) {
      if (old.name != result.name) continue;
      if (old.state == State::measured) {
        result = old;
      } else if (old.plan.points.size() == result.plan.points.size()) {
        // What was predicted before the first run stays.
        for (std::size_t i = 0; i < result.plan.points.size(); ++i)
          result.plan.points[i].predicted = old.plan.points[i].predicted;
      }
    }
  }
}

double seconds_left(const Evaluation& evaluation) {
  double sum = 0;
  for (const Result& result : evaluation.results) {
    if (result.state == State::planned) sum += seconds_of(result.plan);
  }
  return sum;
}

bool measure(Evaluation& evaluation, const std::vector<const Experiment*>& chosen, const Context& context,
             Measuring& measuring, const Callbacks& callbacks, double limit_s) {
  Runner runner(evaluation, measuring, callbacks, limit_s);
  callbacks.store(evaluation);
  try {
    for (const std::size_t i : order_of(evaluation)) {
      Result& result = evaluation.results[i];
      if (result.state != State::planned) continue;
      if (measuring.stopped()) return false;
      if (runner.time_is_up()) {
        // It stays planned, so that --resume can run it.
        result.verdict = {
            Finding::cannot_tell,
            fmt::format("no time was left in the {} minutes of a quick run; --resume or --only {} runs it",
                        std::lround(limit_s / 60), result.name)};
        continue;
      }
      runner.run(result, *chosen[i], context);
      callbacks.store(evaluation);
    }
  } catch (const Stopped&) {
    return false;
  }
  return true;
}

std::string_view name(Extent extent) {
  return extent == Extent::quick ? "quick" : extent == Extent::full ? "full" : "paper";
}

std::string_view name(State state) {
  switch (state) {
    case State::unmet:
      return "unmet";
    case State::measured:
      return "measured";
    case State::planned:
      break;
  }
  return "planned";
}

}  // namespace charm::evaluate
