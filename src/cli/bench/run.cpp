#include "cli/bench/run.hpp"

#include <charm/adaptive.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "cli/bench/dedicated_thread.hpp"
#include "cli/bench/settle.hpp"
#include "os/memory/memory.hpp"
#include "workloads/bench.hpp"
#include "workloads/sgd/bench.hpp"

namespace charm::cli {
namespace {

/// CHARM with one policy at a time. It stays up between trials of the same policy: starting it is not what is measured,
/// and its parked workers use no cpu. It is started and used by a thread of its own, because the thread that CHARM is
/// started by gets bound to a core, and the peers' threads would inherit that from it.
class CharmRuntime {
 public:
  CharmRuntime(Config config, int workers) : config_(std::move(config)) { config_.workers = workers; }
  ~CharmRuntime() {
    thread_.run([this] { stop(); });
  }
  CharmRuntime(const CharmRuntime&) = delete;
  CharmRuntime& operator=(const CharmRuntime&) = delete;

  /// What its controllers did; stops it.
  std::vector<PolicyHistory> histories() {
    thread_.run([this] { stop(); });
    return std::move(histories_);
  }

  /// Runs `body` with CHARM up under `policy`.
  template <class F>
  auto with(const std::string& policy, F body) {
    std::optional<std::invoke_result_t<F>> result;
    thread_.run([&] {
      start(policy);
      result.emplace(body());
    });
    return std::move(*result);  // NOLINT(bugprone-unchecked-optional-access): run() rethrows what body threw
  }

 private:
  void start(const std::string& policy) {
    if (running_ == policy) return;
    stop();
    config_.policy = policy;
    charm::init(config_);
    running_ = policy;
  }

  void stop() {
    if (!running_) return;
    keep_history();
    running_.reset();
    charm::finalize();
  }

  void keep_history() {
    const auto points = charm::timeline();
    const auto decisions = charm::decisions();
    if (points.empty() && decisions.empty()) return;
    auto found = std::find_if(histories_.begin(), histories_.end(),
                              [&](const PolicyHistory& h) { return h.policy == *running_; });
    if (found == histories_.end()) found = histories_.insert(histories_.end(), {*running_, {}, {}});
    const double before = found->timeline.empty() ? 0 : found->timeline.back().time;
    for (auto point : points) {
      point.time += before;
      found->timeline.push_back(point);
    }
    for (auto decision : decisions) {
      decision.time += before;
      found->decisions.push_back(std::move(decision));
    }
  }

  Config config_;
  std::optional<std::string> running_;
  std::vector<PolicyHistory> histories_;
  DedicatedThread thread_;
};

class Bench {
 public:
  Bench(const BenchPlan& plan, const Config& config, Progress& progress)
      : plan_(plan), progress_(progress), runtime_(config, plan.workers) {
    for (const auto& row : plan.measurements) planned_ += row.trials + (warms_up(row) ? 1 : 0);
  }

  BenchResult run() {
    record_placements();
    if (plan_.workload == Workload::graph)
      make_graph();
    else if (plan_.workload == Workload::sgd)
      make_samples();
    else
      outcome_.input.description = fmt::format("{} words of 8 bytes", 1ULL << static_cast<unsigned>(plan_.scale));
    if (!plan_.memory.empty()) outcome_.input.description += "; memory " + plan_.memory;
    auto first = plan_.measurements.begin();
    while (first != plan_.measurements.end()) {
      const auto last = std::find_if(first, plan_.measurements.end(),
                                     [&](const Measurement& m) { return m.kernel != first->kernel; });
      run_kernel({first, last});
      first = last;
    }
    outcome_.histories = runtime_.histories();
    progress_.clear();
    return std::move(outcome_);
  }

 private:
  void record_placements() {
    for (const auto& policy : plan_.policies) {
      outcome_.placements.push_back({policy, runtime_.with(policy, [] { return charm::worker_cores(); })});
    }
  }

  void make_graph() {
    const Measurement& builder = input_builder();
    progress_.step(plan_.file.empty()
                       ? fmt::format("generating a graph of scale {} with {}", plan_.scale, builder.runtime)
                       : fmt::format("loading {}", plan_.file));
    make_input(graph_, [&](const workloads::Runner& runner) {
      if (!plan_.file.empty()) {
        return workloads::Graph::load(plan_.file, {.undirected = plan_.undirected, .seed = plan_.seed}, runner);
      }
      workloads::GenerateOptions options;
      options.scale = plan_.scale;
      options.seed = plan_.seed;
      return workloads::Graph::generate(options, runner);
    });
  }

  void make_samples() {
    const workloads::SampleOptions options{plan_.sgd.rows, plan_.sgd.features, plan_.sgd.density, plan_.seed};
    progress_.step(plan_.file.empty()
                       ? fmt::format("generating {} rows of {} features, {}", options.rows, options.features,
                                     base::format_bytes(workloads::sample_bytes(options)))
                       : fmt::format("loading {}", plan_.file));
    make_input(samples_, [&](const workloads::Runner& runner) {
      return plan_.file.empty() ? workloads::SampleSet::generate(options, runner)
                                : workloads::SampleSet::load(plan_.file, plan_.seed, runner);
    });
  }

  /// Makes the rows' input with `make(runner)`, and records its time and memory.
  template <class T, class F>
  void make_input(std::optional<T>& input, F make) {
    const os::PeakMemory peak;
    note_inexact(peak);
    const auto begin = std::chrono::steady_clock::now();
    input = run_on(input_builder(), make);
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    outcome_.input = {input->describe(), taken.count(), peak.bytes()};
  }

  /// The input is the same on every runtime; the first row that is not serial makes it.
  [[nodiscard]] const Measurement& input_builder() const {
    const auto parallel = std::find_if(plan_.measurements.begin(), plan_.measurements.end(),
                                       [](const Measurement& m) { return m.runtime != "serial"; });
    return parallel == plan_.measurements.end() ? plan_.measurements.front() : *parallel;
  }

  /// Calls `body` with the runner of a row, on the thread that the row's runtime belongs to.
  template <class F>
  std::invoke_result_t<F, const workloads::Runner&> run_on(const Measurement& row, F body) {
    workloads::Runner runner{row.runtime, row.workers};
    if (!plan_.memory.empty()) runner.memory = workloads::memory_named(plan_.memory);
    if (row.runtime == "charm") return runtime_.with(row.policy, [&] { return body(runner); });
    return body(runner);
  }

  void run_kernel(const std::vector<Measurement>& rows) {
    std::vector<workloads::KernelRun> runs(rows.size());
    std::vector<Result> results;
    for (const auto& row : rows) {
      Result result;
      result.kernel = row.kernel;
      result.runtime = row.runtime;
      result.policy = row.policy;
      result.workers = row.workers;
      result.input = outcome_.input.description;
      results.push_back(std::move(result));
    }
    const int trials = rows.front().trials;
    progress_.step(
        fmt::format("{}: {} trial{} of {}", rows.front().kernel, trials, trials == 1 ? "" : "s", titles(rows)));
    // The turn before the first is not timed: it starts threads, touches stacks and fills caches.
    for (int turn = warms_up(rows.front()) ? -1 : 0; turn < trials; ++turn) {
      for (std::size_t i = 0; i < rows.size(); ++i) {
        progress_.detail(fmt::format("[{:2.0f} %] {} on {}, {}", 100.0 * done_ / planned_, rows[i].kernel,
                                     title(rows[i]),
                                     turn < 0 ? "warming up" : fmt::format("trial {} of {}", turn + 1, trials)));
        ++done_;
        auto [run, bytes] = run_trial(rows[i], std::max(turn, 0));
        results[i].peak_rss_bytes = std::max(results[i].peak_rss_bytes, bytes);
        if (turn < 0) {
          keep_failure(runs[i], run);
        } else if (runs[i].seconds.empty()) {
          keep_failure(run, runs[i]);
          runs[i] = std::move(run);
        } else {
          workloads::merge(runs[i], run);
        }
      }
    }
    for (std::size_t i = 0; i < rows.size(); ++i) {
      results[i].unit = runs[i].unit;
      results[i].seconds = std::move(runs[i].seconds);
      results[i].work = std::move(runs[i].work);
      results[i].verified = runs[i].verified;
      results[i].detail = std::move(runs[i].detail);
      outcome_.results.push_back(std::move(results[i]));
    }
  }

  /// A trial of graph500 is 64 searches and one of gups seconds of updates: neither notices a cold start.
  [[nodiscard]] static bool warms_up(const Measurement& row) {
    return row.kernel != "graph500" && row.kernel != "gups";
  }

  std::pair<workloads::KernelRun, std::uint64_t> run_trial(const Measurement& row, int trial) {
    if (!wait_until_idle()) {
      note("Threads of this process did not come to rest between trials; the comparison may be unfair.");
    }
    const os::PeakMemory peak;
    note_inexact(peak);
    auto run = run_on(row, [&](const workloads::Runner& runner) {
      if (plan_.workload == Workload::sgd)
        return workloads::run_sgd(row.kernel, runner, *samples_,
                                  {plan_.sgd.update, plan_.sgd.epochs, plan_.sgd.target});
      return plan_.workload == Workload::gups
                 ? workloads::run_gups(plan_.scale, runner, 1)
                 : workloads::run_kernel(row.kernel, runner, *graph_, {.trials = 1, .first_trial = trial});
    });
    return {std::move(run), peak.bytes()};
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

  void note(const std::string& text) {
    auto& notes = outcome_.notes;
    if (std::find(notes.begin(), notes.end(), text) == notes.end()) notes.push_back(text);
  }

  static std::string title(const Measurement& row) {
    return row.policy == "none" ? row.runtime : row.runtime + " " + row.policy;
  }

  static std::string titles(const std::vector<Measurement>& rows) {
    std::vector<std::string> names;
    names.reserve(rows.size());
    for (const auto& row : rows) names.push_back(title(row));
    return fmt::format("{}", fmt::join(names, ", "));
  }

  const BenchPlan& plan_;
  Progress& progress_;
  CharmRuntime runtime_;
  std::optional<workloads::Graph> graph_;
  std::optional<workloads::SampleSet> samples_;
  BenchResult outcome_;
  double done_ = 0;  // trials, timed or not
  double planned_ = 0;
};

}  // namespace

BenchResult run_plan(const BenchPlan& plan, const Config& config, Progress& progress) {
  return Bench(plan, config, progress).run();
}

}  // namespace charm::cli
