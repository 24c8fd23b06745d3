#include <map>

#include "base/present.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/oltp_options.hpp"
#include "workloads/oltp/oltp_bench.hpp"

namespace charm::cli {
namespace {

TransactionFigures figures_of(const workloads::OltpRun& all) {
  TransactionFigures figures;
  for (const double percent : workloads::latency_percentiles)
    figures.latencies.push_back({percent, static_cast<double>(all.latency.percentile(percent)) / 1e9});
  for (std::size_t i = 0; i < all.aborts.size(); ++i) {
    if (all.aborts[i] > 0) figures.aborts.push_back({workloads::oltp::reason_names[i], all.aborts[i]});
  }
  figures.rolled_back = all.rolled_back;
  figures.given_up = all.given_up;
  figures.commits = all.latency.count();
  return figures;
}

class OltpRows final : public WorkloadRun {
 public:
  explicit OltpRows(const OltpWorkload& workload) : asked_(workload.asked) { asked_.data = workload.data.value_or(""); }

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& plan, int /*nodes*/) const override {
    return workloads::oltp_bytes(asked_, plan.kernels);
  }

  /// An engine's calls need larger stacks than other tasks.
  [[nodiscard]] Config config(const base::Settings& settings) const override {
    constexpr std::size_t for_engines = std::size_t{2} << 20U;
    Config config;
    if (settings.stack_bytes < for_engines) config.stack_bytes = for_engines;
    return config;
  }

  /// Plain threads load the databases, which are the same for every row.
  void prepare(Preparation& bench) override {
    asked_.seed = bench.plan().seed;
    asked_.workers = bench.plan().workers;
    bench.make_input_here([&] {
      oltp_ =
          workloads::Oltp::open(asked_, bench.plan().kernels, [&bench](const std::string& what) { bench.step(what); });
      return base::present(oltp_).describe();
    });
  }

  workloads::KernelRun trial(const Measurement& row, const workloads::Runner& runner, int /*trial*/) override {
    last_ = base::present(oltp_).run(row.kernel, runner);
    return last_.run;
  }

  /// A trial begins with a warm-up of its own.
  [[nodiscard]] bool warms_up(const std::string& /*kernel*/) const override { return false; }

  void add_counts(Result& row) override {
    workloads::OltpRun& all = rows_[row.kernel + ' ' + row.runtime + ' ' + row.variant()];
    workloads::merge(all, last_);
    row.transactions = figures_of(all);
  }

 private:
  workloads::OltpOptions asked_;
  std::optional<workloads::Oltp> oltp_;
  workloads::OltpRun last_;
  std::map<std::string, workloads::OltpRun> rows_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const OltpWorkload& workload) { return std::make_unique<OltpRows>(workload); }

}  // namespace charm::cli
