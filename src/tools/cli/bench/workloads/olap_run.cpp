#include <algorithm>
#include <utility>

#include "base/present.hpp"
#include "tools/base/quantile.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/olap_options.hpp"
#include "workloads/olap/olap.hpp"

namespace charm::cli {
namespace {

class OlapRows final : public WorkloadRun {
 public:
  explicit OlapRows(const OlapWorkload& asked) : asked_(asked) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& /*plan*/, int /*nodes*/) const override { return 0; }

  /// DuckDB's tasks need larger stacks than others.
  [[nodiscard]] Config config(const base::Settings& settings) const override {
    constexpr std::size_t for_duckdb = std::size_t{2} << 20U;
    Config config;
    if (settings.stack_bytes < for_duckdb) config.stack_bytes = for_duckdb;
    return config;
  }

  /// DuckDB's own threads generate the data. Their mask must be that of the process.
  void prepare(Preparation& bench) override {
    bench.make_input_here([&] {
      olap_ = workloads::Olap::open({.suite = asked_.suite,
                                     .scale = asked_.scale,
                                     .database = asked_.database.value_or(""),
                                     .engine = asked_.engine.value_or(""),
                                     .tables = asked_.tables.value_or(""),
                                     .queries = asked_.queries.value_or(""),
                                     .workers = bench.plan().workers},
                                    [&bench](const std::string& what) { bench.step(what); });
      return base::present(olap_).describe();
    });
  }

  workloads::KernelRun trial(const Measurement& row, const workloads::Runner& runner, int /*trial*/) override {
    return base::present(olap_).run(row.kernel, runner);
  }

  std::optional<QueryProfile> profile(const std::string& kernel) override {
    const workloads::OlapDemand demand = base::present(olap_).demand(kernel);
    QueryProfile profile{.query = kernel,
                         .scale = base::present(olap_).scale(),
                         .busy_s = demand.busy_s,
                         .scanned_bytes = demand.scanned_bytes,
                         .working_set_bytes = demand.working_set_bytes,
                         .moved_rows = demand.moved_rows,
                         .moved_bytes = demand.moved_bytes,
                         .exchanges = demand.exchanges,
                         .hottest_key = base::present(olap_).hottest_key()};
    std::vector<double> imbalances = base::present(olap_).take_imbalances();
    if (!imbalances.empty()) profile.imbalance = base::median(std::move(imbalances));
    return profile;
  }

 private:
  OlapWorkload asked_;
  std::optional<workloads::Olap> olap_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const OlapWorkload& workload) { return std::make_unique<OlapRows>(workload); }

}  // namespace charm::cli
