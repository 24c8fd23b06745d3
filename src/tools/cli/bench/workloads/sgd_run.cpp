#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "base/format.hpp"
#include "base/present.hpp"
#include "tools/base/quantile.hpp"
#include "tools/cli/bench/peers.hpp"
#include "tools/cli/bench/workload_run.hpp"
#include "tools/cli/bench/workloads/sgd_options.hpp"
#include "workloads/sgd/sgd_bench.hpp"

namespace charm::cli {
namespace {

class SgdRows final : public WorkloadRun {
 public:
  explicit SgdRows(const SgdWorkload& asked) : asked_(asked) {}

  [[nodiscard]] std::uint64_t needed_bytes(const BenchPlan& plan, int /*nodes*/) const override {
    const bool by_column = std::find(plan.kernels.begin(), plan.kernels.end(), "sgd-column") != plan.kernels.end();
    return workloads::sgd_bytes(generated(plan), plan.workers, by_column);
  }

  void prepare(Preparation& bench) override {
    const BenchPlan& plan = bench.plan();
    const workloads::SampleOptions options = generated(plan);
    bench.step(plan.file.empty() ? fmt::format("generating {} rows of {} features, {}", options.rows, options.features,
                                               base::format_bytes(workloads::sample_bytes(options)))
                                 : fmt::format("loading {}", plan.file));
    bench.make_input([&](const workloads::Runner& runner) {
      samples_ = plan.file.empty()
                     ? workloads::SampleSet::generate(options, runner)
                     : workloads::SampleSet::load({plan.file, plan.file_memory}, plan.seed, runner,
                                                  asked_.scale.value_or("max") == "max", asked_.l2.value_or(0));
      return base::present(samples_).describe();
    });
    const auto rows = bench.rows();
    if (std::none_of(rows.begin(), rows.end(), [](const Measurement& row) { return !row.peer.empty(); })) return;
    bench.step("writing the samples for the peer");
    peer_samples_ = bench.peer_folder() + "/samples";
    workloads::write_libsvm(base::present(samples_), peer_samples_);
  }

  workloads::KernelRun trial(const Measurement& row, const workloads::Runner& runner, int /*trial*/) override {
    workloads::KernelRun run = workloads::run_sgd(
        row.kernel, runner, base::present(samples_),
        {.update = asked_.update, .epochs = asked_.epochs, .target = asked_.target, .step = asked_.step.value_or(0)});
    if (row.runtime == "charm" && !run.work.empty()) passes_[row.kernel] = run.work.back() / bytes();
    return run;
  }

  /// DimmWitted's dw-lr-train: FUNC=1 are its passes that compute the loss, FUNC=0 those that update the model. The
  /// first of each warms up. It takes all cpus that the process may use.
  PeerTrial peer_trial(const Measurement& row, int /*trial*/) override {
    const PeerSaid said =
        run_peer({.words = {program_in(row.peer, "dw-lr-train"), "-s", fmt::format("{:g}", asked_.step.value_or(.01)),
                            "-e", "5", "-r", fmt::format("{:g}", asked_.l2.value_or(0)), peer_samples_},
                  .threads = row.workers});
    workloads::KernelRun run{row.kernel, row.runtime, "GB/s", {}, {}, false, ""};
    const int kind = row.kernel == "loss" ? 1 : 0;
    std::vector<double> passes = printed(said, fmt::format(R"(FUNC={}\] +TIME= *([0-9.eE+-]+))", kind), 2);
    passes.erase(passes.begin());
    const std::vector<double> losses = printed(said, R"(loss= *([0-9.eE+-]+))", 2);
    // A descent of CHARM's is many passes: the same number of them.
    const double count = passes_.contains(row.kernel) ? passes_.at(row.kernel) : 1;
    run.seconds = {base::median(passes) * count};
    run.work = {bytes() * count};
    run.verified = std::isfinite(losses.back()) && losses.back() < losses.front();
    run.detail = fmt::format("loss {:.3g} to {:.3g} in {} passes; time of {:.0f}", losses.front(), losses.back(),
                             losses.size(), count);
    return {run, said.peak_bytes};
  }

 private:
  [[nodiscard]] workloads::SampleOptions generated(const BenchPlan& plan) const {
    const SgdSamples made = asked_.samples();
    return {.rows = made.rows,
            .features = made.features,
            .density = made.density,
            .seed = plan.seed,
            .l2 = asked_.l2.value_or(0)};
  }

  SgdWorkload asked_;
  std::optional<workloads::SampleSet> samples_;
  [[nodiscard]] double bytes() const { return static_cast<double>(workloads::bytes_of(base::present(samples_))); }

  std::string peer_samples_;
  std::map<std::string, double> passes_;  // over the samples, of CHARM's last trial of each kernel
};

}  // namespace

std::unique_ptr<WorkloadRun> run_of(const SgdWorkload& workload) { return std::make_unique<SgdRows>(workload); }

}  // namespace charm::cli
