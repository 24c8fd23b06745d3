// `charm bench streamcluster`: its options.
#pragma once

#include "tools/cli/bench/workload.hpp"

namespace charm::cli {

class StreamclusterWorkload final : public Workload {
 public:
  [[nodiscard]] const WorkloadText& text() const override;
  [[nodiscard]] std::vector<std::string> kernels() const override { return {"streamcluster"}; }
  [[nodiscard]] std::vector<std::string> runtimes() const override;
  [[nodiscard]] std::vector<PeerKind> peers() const override {
    return {{"parsec", {"streamcluster"}}, {"shoal", {"streamcluster"}}};
  }
  void declare(CLI::App& app, BenchRequest& request) override;
  void check_options(const BenchRequest& request) const override;
  void check_plan(const BenchPlan& plan, const Facts& facts) const override;

  // With their defaults, which are PARSEC's for its input "simlarge".
  [[nodiscard]] std::int64_t points_made() const { return points.value_or(16384); }
  [[nodiscard]] std::int64_t most_centres() const;
  [[nodiscard]] std::int64_t centres_kept() const;

  // As given.
  std::optional<std::int64_t> points;
  std::int64_t dimensions = 128;
  std::int64_t chunk = 16384;
  std::int64_t least = 10;
  std::optional<std::int64_t> most;
  std::optional<std::int64_t> intermediate;
};

/// In charm-bench.
std::unique_ptr<WorkloadRun> run_of(const StreamclusterWorkload& workload);

}  // namespace charm::cli
