#include <algorithm>

#include <fmt/format.h>

#include "base/present.hpp"
#include "tools/cli/bench/peers.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/streamcluster_options.hpp"
#include "workloads/streamcluster/streamcluster_bench.hpp"

namespace charm::cli {
namespace {

class StreamclusterRows final : public WorkloadRun {
 public:
  explicit StreamclusterRows(const StreamclusterWorkload& asked) : asked_(asked) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& plan, int nodes) const override {
    const auto memory = workloads::memory_named(plan.memory.empty() ? "partitioned" : plan.memory);
    const int copies = nodes < 2                                  ? 0
                       : memory == workloads::Memory::replicated  ? nodes
                       : memory == workloads::Memory::partitioned ? 1
                                                                  : 0;
    return workloads::point_bytes(generated(plan), asked_.chunk, copies);
  }

  void prepare(Preparation& bench) override {
    const BenchPlan& plan = bench.plan();
    const workloads::PointOptions options = generated(plan);
    clustering_ = {asked_.chunk, asked_.least, asked_.most_centres(), asked_.centres_kept(), plan.seed};
    bench.step(plan.file.empty()
                   ? fmt::format("generating {} points of {} dimensions", options.count, options.dimensions)
                   : fmt::format("loading {}", plan.file));
    bench.make_input([&](const workloads::Runner& runner) {
      points_ = plan.file.empty() ? workloads::PointSet::generate(options, runner)
                                  : workloads::PointSet::load(plan.file, options.dimensions, runner);
      return base::present(points_).describe();
    });
    const auto rows = bench.rows();
    if (std::none_of(rows.begin(), rows.end(), [](const Measurement& row) { return !row.peer.empty(); })) return;
    peer_answer_ = bench.peer_folder() + "/centres";
    peer_points_ = plan.file;
    if (!plan.file.empty()) return;
    bench.step("writing the points for the peer");
    peer_points_ = bench.peer_folder() + "/points";
    workloads::write_points(points(), peer_points_);
  }

  workloads::KernelRun trial(const Measurement& /*row*/, const workloads::Runner& runner, int /*trial*/) override {
    return workloads::run_streamcluster(runner, base::present(points_), clustering_);
  }

  /// PARSEC's program and SHOAL's, which is PARSEC's with a patch. PARSEC's tells no time unless it is built with
  /// hooks: then the whole process counts, with the reading of the points.
  PeerTrial peer_trial(const Measurement& row, int /*trial*/) override {
    const auto number = [](std::int64_t value) { return std::to_string(value); };
    const bool shoal = row.runtime == "shoal";
    const PeerCall call{.words = {program_in(row.peer, "streamcluster"), number(clustering_.least),
                                  number(clustering_.most), number(points().dimensions), "0", number(clustering_.chunk),
                                  number(clustering_.intermediate), peer_points_, peer_answer_, number(row.workers)},
                        .variables = shoal ? shoal_variables(row.workers) : std::vector<std::string>{},
                        .threads = row.workers};
    const PeerSaid said = run_peer(call);
    workloads::KernelRun run{row.kernel, row.runtime, "kpoint/s", {}, {}, false, ""};
    const std::string hooks = R"(Total time spent in ROI: +([0-9.]+))";
    const auto timed = printed(said, shoal ? R"(Runtime: +([0-9.]+))" : hooks, shoal ? 1 : 0);
    const double seconds = timed.empty() ? said.wall_s : shoal ? timed.back() / 1000 : timed.back();
    run.seconds = {seconds};
    run.work = {static_cast<double>(points().count)};
    const workloads::StreamCenters found = workloads::read_centers(peer_answer_, points().dimensions);
    run.detail = workloads::complaint_about(found, points(), clustering_, nullptr);
    run.verified = run.detail.empty();
    if (run.verified)
      run.detail =
          fmt::format("{} centres{}", found.weights.size(), timed.empty() ? "; time of the whole process" : "");
    return {run, said.peak_bytes};
  }

 private:
  [[nodiscard]] workloads::Points points() const { return workloads::points_of(base::present(points_)); }

  static std::vector<std::string> shoal_variables(int workers) {
    return {fmt::format("SHL_CPU_AFFINITY=0-{}", workers - 1), "SHL_HUGEPAGE=0", "SHL_REPLICATION=1",
            "SHL_DISTRIBUTION=0", "SHL_PARTITION=0"};
  }

  [[nodiscard]] workloads::PointOptions generated(const BenchPlan& plan) const {
    return {asked_.points_made(), asked_.dimensions, plan.seed};
  }

  StreamclusterWorkload asked_;
  std::optional<workloads::PointSet> points_;
  workloads::StreamOptions clustering_;
  std::string peer_points_, peer_answer_;
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const StreamclusterWorkload& workload) {
  return std::make_unique<StreamclusterRows>(workload);
}

}  // namespace charm::cli
