#include "cli/bench/run.hpp"

#include <charm/error.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <chrono>
#include <map>
#include <optional>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

#include "base/format.hpp"
#include "base/quantile.hpp"
#include "cli/bench/charm_runtime.hpp"
#include "cli/bench/settle.hpp"
#include "os/memory/memory.hpp"
#include "workloads/bench.hpp"
#include "workloads/factor/bench.hpp"
#include "workloads/olap/tpch.hpp"
#include "workloads/oltp/bench.hpp"
#include "workloads/sgd/bench.hpp"
#include "workloads/streamcluster/bench.hpp"

namespace charm::cli {
namespace {

class Bench {
 public:
  Bench(const BenchPlan& plan, const Config& config, Progress& progress)
      : plan_(plan), rows_(plan.measurements), progress_(progress), runtime_(config, plan.workers) {}

  BenchResult run() {
    record_placements();
    if (plan_.workload == Workload::graph)
      make_graph();
    else if (plan_.workload == Workload::sgd)
      make_samples();
    else if (plan_.workload == Workload::factor)
      make_matrix();
    else if (plan_.workload == Workload::streamcluster)
      make_points();
    else if (plan_.workload == Workload::olap)
      open_database();
    else if (plan_.workload == Workload::oltp)
      open_transactions();
    else
      outcome_.input.description = fmt::format("{} words of 8 bytes", 1ULL << static_cast<unsigned>(plan_.scale));
    if (!plan_.memory.empty()) outcome_.input.description += "; memory " + plan_.memory;
    for (const auto& row : rows_) planned_ += row.trials + (warms_up(row) ? 1 : 0);
    auto first = rows_.begin();
    while (first != rows_.end()) {
      const auto last =
          std::find_if(first, rows_.end(), [&](const Measurement& m) { return m.kernel != first->kernel; });
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
      outcome_.placements.push_back({policy, runtime_.with(policy, "", [] { return charm::worker_cores(); })});
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

  void make_points() {
    const workloads::PointOptions options{plan_.streamcluster.points, plan_.streamcluster.dimensions, plan_.seed};
    progress_.step(plan_.file.empty()
                       ? fmt::format("generating {} points of {} dimensions", options.count, options.dimensions)
                       : fmt::format("loading {}", plan_.file));
    make_input(points_, [&](const workloads::Runner& runner) {
      return plan_.file.empty() ? workloads::PointSet::generate(options, runner)
                                : workloads::PointSet::load(plan_.file, options.dimensions, runner);
    });
  }

  [[nodiscard]] workloads::StreamOptions stream_options() const {
    const StreamclusterPlan& asked = plan_.streamcluster;
    return {asked.chunk, asked.least, asked.most, asked.intermediate, plan_.seed};
  }

  /// The matrix, and all that is found out about it before anything is timed. Kernels that were not asked for and do
  /// not fit it are left out.
  void make_matrix() {
    const workloads::factor::MatrixOptions options{plan_.factor.matrix, plan_.factor.size, plan_.seed};
    progress_.step(plan_.file.empty() ? fmt::format("generating a {} matrix of {} columns", options.kind, options.size)
                                      : fmt::format("loading {}", plan_.file));
    make_input(matrix_, [&](const workloads::Runner&) {
      return plan_.file.empty() ? workloads::FactorInput::generate(options)
                                : workloads::FactorInput::load(plan_.file, plan_.seed);
    });
    std::string kernel;
    std::optional<Error> misfit;
    std::optional<Error> first_misfit;
    std::vector<Measurement> fitting;
    for (const Measurement& row : rows_) {
      if (row.kernel != kernel) {
        kernel = row.kernel;
        progress_.step(fmt::format("analysing the matrix for {}, and factorising it by SuiteSparse", kernel));
        misfit.reset();
        try {
          matrix_->prepare(kernel, factor_options(row), os::available_bytes());
        } catch (const Error& error) {
          if (plan_.factor.kernels_asked || error.code() != Errc::bad_input) throw;
          misfit = error;
          if (!first_misfit) first_misfit = error;
          note(fmt::format("{} is left out: {}", kernel, error.what()));
        }
      }
      if (!misfit) fitting.push_back(row);
    }
    if (fitting.empty()) throw Error(*first_misfit);
    rows_ = std::move(fitting);
  }

  [[nodiscard]] workloads::FactorOptions factor_options(const Measurement& row) const {
    return {plan_.factor.tile, plan_.factor.grain, row.schedule.empty() ? "stream" : row.schedule};
  }

  /// By DuckDB's own threads, whose mask must be that of the process and not that of a worker.
  void open_database() {
    const auto begin = std::chrono::steady_clock::now();
    const os::PeakMemory peak;
    note_inexact(peak);
    tpch_ = workloads::Tpch::open({plan_.olap.scale, plan_.olap.database, plan_.olap.engine, plan_.workers},
                                  [this](const std::string& what) { progress_.step(what); });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    outcome_.input = {tpch_->describe(), taken.count(), peak.bytes()};
  }

  /// Loaded by plain threads, on every run the same.
  void open_transactions() {
    const auto begin = std::chrono::steady_clock::now();
    const os::PeakMemory peak;
    note_inexact(peak);
    std::vector<std::string> kernels;
    for (const Measurement& row : rows_) kernels.push_back(row.kernel);
    oltp_ = workloads::Oltp::open(plan_.oltp, kernels, [this](const std::string& what) { progress_.step(what); });
    const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - begin;
    outcome_.input = {oltp_->describe(), taken.count(), peak.bytes()};
  }

  QueryProfile profile_of(const std::string& query) {
    QueryProfile profile{query, tpch_->working_set(query), 1};
    std::vector<double> imbalances = tpch_->take_imbalances();
    if (!imbalances.empty()) profile.imbalance = base::median(std::move(imbalances));
    return profile;
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
    const auto parallel =
        std::find_if(rows_.begin(), rows_.end(), [](const Measurement& m) { return m.runtime != "serial"; });
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

  void run_kernel(const std::vector<Measurement>& rows) {
    std::vector<workloads::KernelRun> runs(rows.size());
    std::vector<Result> results;
    for (const auto& row : rows) {
      Result result;
      result.kernel = row.kernel;
      result.runtime = row.runtime;
      result.policy = row.policy;
      result.workers = row.workers;
      result.bind = row.bind;
      result.schedule = row.schedule;
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
        if (turn >= 0) keep_counts(results[i]);
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
    for (std::size_t i = 0; i < rows.size() && oltp_; ++i)
      results[i].transactions = figures_of(transacted_[title(rows[i])]);
    transacted_.clear();
    if (tpch_) outcome_.profiles.push_back(profile_of(rows.front().kernel));
    for (std::size_t i = 0; i < rows.size(); ++i) {
      results[i].unit = runs[i].unit;
      results[i].seconds = std::move(runs[i].seconds);
      results[i].work = std::move(runs[i].work);
      results[i].verified = runs[i].verified;
      results[i].detail = std::move(runs[i].detail);
      outcome_.results.push_back(std::move(results[i]));
    }
  }

  /// A trial of graph500 is 64 searches and one of gups seconds of updates: neither notices a cold start. One of
  /// transactions begins with a warm-up of its own.
  [[nodiscard]] static bool warms_up(const Measurement& row) {
    return row.kernel != "graph500" && row.kernel != "gups" && !row.kernel.starts_with("ycsb") && row.kernel != "tpcc";
  }

  std::pair<workloads::KernelRun, std::uint64_t> run_trial(const Measurement& row, int trial) {
    if (!wait_until_idle()) {
      note("Threads of this process did not come to rest between trials; the comparison may be unfair.");
    }
    const os::PeakMemory peak;
    note_inexact(peak);
    auto run = run_on(row, [&](const workloads::Runner& runner) {
      if (plan_.workload == Workload::factor) return run_factor(row, runner);
      if (plan_.workload == Workload::streamcluster)
        return workloads::run_streamcluster(runner, *points_, stream_options());
      if (plan_.workload == Workload::oltp) return run_transactions(row, runner);
      if (plan_.workload == Workload::olap) return tpch_->run(row.kernel, runner);
      if (plan_.workload == Workload::sgd)
        return workloads::run_sgd(row.kernel, runner, *samples_,
                                  {plan_.sgd.update, plan_.sgd.epochs, plan_.sgd.target});
      return plan_.workload == Workload::gups
                 ? workloads::run_gups(plan_.scale, runner, 1)
                 : workloads::run_kernel(row.kernel, runner, *graph_, {.trials = 1, .first_trial = trial});
    });
    return {std::move(run), peak.bytes()};
  }

  workloads::KernelRun run_factor(const Measurement& row, const workloads::Runner& runner) {
    counted_ = workloads::run_factor(row.kernel, runner, *matrix_, factor_options(row));
    return counted_.run;
  }

  workloads::KernelRun run_transactions(const Measurement& row, const workloads::Runner& runner) {
    workloads::OltpRun done = oltp_->run(row.kernel, runner);
    workloads::merge(transacted_[title(row)], done);
    return done.run;
  }

  static TransactionFigures figures_of(const workloads::OltpRun& all) {
    TransactionFigures figures;
    for (const double percent : workloads::latency_percentiles)
      figures.latencies.push_back({percent, static_cast<double>(all.latency.percentile(percent)) / 1e9});
    for (std::size_t i = 0; i < all.aborts.size(); ++i) {
      if (all.aborts[i] > 0) figures.aborts.push_back({workloads::oltp::reason_names[i], all.aborts[i]});
    }
    figures.rolled_back = all.rolled_back;
    figures.commits = all.latency.count();
    return figures;
  }

  /// What the last trial has counted, which only factorisations do.
  void keep_counts(Result& result) {
    result.page_faults.insert(result.page_faults.end(), counted_.page_faults.begin(), counted_.page_faults.end());
    result.migrations.insert(result.migrations.end(), counted_.migrations.begin(), counted_.migrations.end());
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
  std::vector<Measurement> rows_;
  Progress& progress_;
  CharmRuntime runtime_;
  std::optional<workloads::Graph> graph_;
  std::optional<workloads::SampleSet> samples_;
  std::optional<workloads::PointSet> points_;
  std::optional<workloads::FactorInput> matrix_;
  workloads::FactorRun counted_;
  std::optional<workloads::Tpch> tpch_;
  std::optional<workloads::Oltp> oltp_;
  std::map<std::string, workloads::OltpRun> transacted_;  // of this kernel, by row
  BenchResult outcome_;
  double done_ = 0;  // trials, timed or not
  double planned_ = 0;
};

}  // namespace

BenchResult run_plan(const BenchPlan& plan, const Config& config, Progress& progress) {
  return Bench(plan, config, progress).run();
}

}  // namespace charm::cli
