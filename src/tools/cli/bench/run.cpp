#include "tools/cli/bench/run.hpp"

#include <charm/adaptive.hpp>
#include <charm/error.hpp>
#include <charm/runtime.hpp>
#include <charm/stats.hpp>

#include <algorithm>
#include <chrono>
#include <functional>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "os/memory/memory.hpp"
#include "tools/cli/bench/charm_runtime.hpp"
#include "tools/cli/bench/peers.hpp"
#include "tools/cli/bench/settle.hpp"
#include "trace/recorder.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::cli {
namespace {

class Bench final : Preparation {
 public:
  Bench(const BenchPlan& plan, WorkloadRun& workload, const Config& config, Progress& progress)
      : plan_(plan),
        workload_(workload),
        rows_(plan.measurements),
        progress_(progress),
        runtime_(config, plan.workers) {}

  BenchResult run() {
    try {
      return measured();
    } catch (const Error&) {
      trace::discard();  // the runtime ends with this
      throw;
    }
  }

 private:
  BenchResult measured() {
    record_placements();
    workload_.prepare(*this);
    if (!plan_.memory.empty()) outcome_.input.description += "; memory " + plan_.memory;
    for (const auto& row : rows_) planned_ += row.trials + (warms_up(row.kernel) ? 1 : 0);
    auto first = rows_.begin();
    while (first != rows_.end()) {
      const auto last =
          std::find_if(first, rows_.end(), [&](const Measurement& m) { return m.kernel != first->kernel; });
      run_or_leave_out({first, last});
      first = last;
    }
    if (outcome_.results.empty() && misfit_) throw Error(*misfit_);
    outcome_.histories = runtime_.histories();
    progress_.clear();
    return std::move(outcome_);
  }

  void record_placements() {
    for (const auto& policy : plan_.policies) {
      outcome_.placements.push_back({policy, runtime_.with(policy, "", [] { return charm::worker_cores(); })});
    }
  }

  const BenchPlan& plan() const override { return plan_; }
  void step(const std::string& what) override { progress_.step(what); }
  const std::string& peer_folder() override {
    if (!folder_) folder_.emplace();
    return folder_->path();
  }
  const std::string& builder() const override { return input_builder().runtime; }
  std::vector<Measurement>& rows() override { return rows_; }
  void no_input(const std::string& description) override { outcome_.input.description = description; }

  void make_input(const std::function<std::string(const workloads::Runner&)>& make) override {
    make_input_here([&] { return run_on(input_builder(), make); });
  }

  void make_input_here(const std::function<std::string()>& make) override {
    const os::PeakMemory peak;
    note_inexact(peak);
    const auto begin = std::chrono::steady_clock::now();
    const std::string description = make();
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    outcome_.input = {description, taken.count(), peak.bytes()};
  }

  /// The input is the same on every runtime; the first row that is not serial makes it.
  [[nodiscard]] const Measurement& input_builder() const {
    const auto parallel = std::find_if(rows_.begin(), rows_.end(),
                                       [](const Measurement& m) { return m.runtime != "serial" && m.peer.empty(); });
    return parallel == rows_.end() ? rows_.front() : *parallel;
  }

  /// Calls `body` with the runner of a row, on the thread that the row's runtime belongs to.
  template <class F>
  std::invoke_result_t<F, const workloads::Runner&> run_on(const Measurement& row, F body) {
    workloads::Runner runner{row.runtime, row.workers};
    if (!plan_.memory.empty()) runner.memory = workloads::memory_named(plan_.memory);
    if (row.runtime == "charm") return runtime_.with(row.policy, row.bind, [&] { return body(runner); });
    return body(runner);
  }

  /// A kernel that cannot do the input ends the run only if it was asked for, or if no other can do it.
  void run_or_leave_out(const std::vector<Measurement>& rows) {
    try {
      run_kernel(rows);
    } catch (const Error& error) {
      if (plan_.kernels_asked || error.code() != Errc::bad_input) throw;
      if (!misfit_) misfit_ = error;
      leave_out(rows.front().kernel, error);
    }
  }

  void run_kernel(const std::vector<Measurement>& rows) {
    std::vector<Result> results;
    for (const auto& row : rows) {
      Result result;
      static_cast<RowSettings&>(result) = row;
      result.kernel = row.kernel;
      result.runtime = row.runtime;
      result.verified = true;  // until a trial's answer is wrong
      result.input = outcome_.input.description;
      results.push_back(std::move(result));
    }
    const int trials = rows.front().trials;
    progress_.step(
        fmt::format("{}: {} trial{} of {}", rows.front().kernel, trials, trials == 1 ? "" : "s", titles(rows)));
    for (int turn = warms_up(rows.front().kernel) ? -1 : 0; turn < trials; ++turn) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        progress_.detail(fmt::format("[{:2.0f} %] {} on {}, {}", 100.0 * done_ / planned_, rows[i].kernel,
                                     title(rows[i]),
                                     turn < 0 ? "warming up" : fmt::format("trial {} of {}", turn + 1, trials)));
        ++done_;
        const auto decided = decisions_of(rows[i]);
        auto [run, bytes] = run_trial(rows[i], std::max(turn, 0));
        if (decided && turn >= 0) {
          results[i].decisions = results[i].decisions.value_or(0) + decisions_of(rows[i]).value_or(*decided) - *decided;
        }
        results[i].peak_rss_bytes = std::max(results[i].peak_rss_bytes, bytes);
        if (turn >= 0) workload_.add_counts(results[i]);
        if (turn < 0) {
          keep_failure(results[i], run);
        } else {
          workloads::merge(results[i], run);
        }
      }
    }
    if (auto profile = workload_.profile(rows.front().kernel)) outcome_.profiles.push_back(*std::move(profile));
    for (Result& result : results) outcome_.results.push_back(std::move(result));
  }

  /// A trial that repeats its kernel warms up by itself.
  [[nodiscard]] bool warms_up(const std::string& kernel) const {
    return plan_.trial_seconds <= 0 && workload_.warms_up(kernel);
  }

  /// Decisions of the row's controller so far; nothing if it has none, or nothing to choose.
  std::optional<std::uint64_t> decisions_of(const Measurement& row) {
    if (row.runtime != "charm") return std::nullopt;
    return run_on(row, [](const workloads::Runner& /*runner*/) {
      return charm::stats().adapts ? std::optional<std::uint64_t>(charm::decisions().size()) : std::nullopt;
    });
  }

  std::pair<workloads::KernelRun, std::uint64_t> run_trial(const Measurement& row, int trial) {
    if (!wait_until_idle()) {
      note("Threads of this process did not come to rest between trials; the comparison may be unfair.");
    }
    if (!row.peer.empty()) {
      auto [run, bytes] = workload_.peer_trial(row, trial);
      return {std::move(run), bytes};
    }
    const os::PeakMemory peak;
    note_inexact(peak);
    const auto once = [&] {
      return run_on(row, [&](const workloads::Runner& runner) { return workload_.trial(row, runner, trial); });
    };
    return {plan_.trial_seconds > 0 ? repeated(once, plan_.trial_seconds) : once(), peak.bytes()};
  }

  /// The mean of the runs of the second half of `seconds`: in the first a controller looks for the best level.
  template <class F>
  static workloads::KernelRun repeated(const F& once, double seconds) {
    const auto begin = std::chrono::steady_clock::now();
    const auto passed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count(); };
    workloads::KernelRun settling, counted;
    do {
      auto run = once();
      workloads::KernelRun& half = passed() <= seconds / 2 ? settling : counted;
      if (half.seconds.empty())
        half = std::move(run);
      else
        workloads::merge(half, run);
    } while (passed() < seconds || counted.seconds.empty());
    const auto mean = [](std::vector<double>& values) {
      const double sum = std::accumulate(values.begin(), values.end(), 0.0);
      if (!values.empty()) values = {sum / static_cast<double>(values.size())};
    };
    mean(counted.seconds);
    mean(counted.work);
    keep_failure(counted, settling);
    return counted;
  }

  /// A warm-up's answer is not timed, but wrong is wrong.
  static void keep_failure(workloads::KernelRun& to, const workloads::KernelRun& from) {
    if (from.runtime.empty() || from.verified) return;
    to.runtime = from.runtime;
    to.verified = false;
    to.detail = from.detail;
  }

  void note_inexact(const os::PeakMemory& peak) {
    if (!peak.exact())
      note("The kernel does not reset the peak memory mark: a row's peak includes that of rows before it.");
  }

  void leave_out(const std::string& kernel, const Error& why) override {
    outcome_.left_out.push_back(fmt::format("{} is left out: {}", kernel, why.what()));
    note(outcome_.left_out.back());
  }

  void note(const std::string& text) override {
    auto& notes = outcome_.notes;
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }

  static std::string title(const Measurement& row) {
    std::string text = row.runtime;
    for (const std::string& word : {row.policy == "none" ? "" : row.policy, row.bind, row.schedule})
      if (!word.empty()) text += " " + word;
    return text;
  }

  static std::string titles(const std::vector<Measurement>& rows) {
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const auto& row : rows) names.push_back(title(row));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const BenchPlan& plan_;
  WorkloadRun& workload_;
  std::vector<Measurement> rows_;
  Progress& progress_;
  CharmRuntime runtime_;
  std::optional<PeerFolder> folder_;
  BenchResult outcome_;
  std::optional<Error> misfit_;  // the first kernel that was left out
  double done_ = 0;              // trials, timed or not
  double planned_ = 0;
};

}  // namespace

BenchResult run_plan(const BenchPlan& plan, WorkloadRun& workload, const Config& config, Progress& progress) {
  return Bench(plan, workload, config, progress).run();
}

}  // namespace charm::cli
