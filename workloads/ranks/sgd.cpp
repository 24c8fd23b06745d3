// SGD on several ranks: each has consecutive rows and replicas of its own (sgd/sgd.cpp); after each epoch the replicas
// of all ranks are averaged, and the losses added. So an epoch takes one exchange of the model, and all ranks decide
// alike.
#include "workloads/sgd/sgd.hpp"

#include <charm/error.hpp>
#include <charm/remote.hpp>

#include <algorithm>
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <utility>
#include <vector>

#include <fmt/format.h>

#include "workloads/executor/charm.hpp"
#include "workloads/names.hpp"
#include "workloads/ranks/division.hpp"
#include "workloads/ranks/rank_bench.hpp"
#include "workloads/ranks/together.hpp"
#include "workloads/sgd/objective.hpp"
#include "workloads/sgd/reference.hpp"
#include "workloads/sgd/verdict.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {

struct RankSamples::Data {
  Samples part;
  Samples all;  // to check the answer
  std::optional<Reference> reference;
  std::string name;
};

namespace {

class AmongRanks final : public Exchange {
 public:
  void sum(std::span<float> values) const override {
    constexpr std::size_t most = 4096;  // elements of all ranks at a time
    struct Piece {
      std::array<float, most> values;
    };
    for (std::size_t at = 0; at < values.size(); at += most) {
      const std::size_t count = std::min(most, values.size() - at);
      Piece mine{};
      std::copy_n(values.begin() + static_cast<std::ptrdiff_t>(at), count, mine.values.begin());
      const std::vector<Piece> all = remote::gather(mine);
      for (std::size_t i = 0; i < count; ++i) {
        float total = 0;
        for (const Piece& piece : all) total += piece.values[i];
        values[at + i] = total;
      }
    }
  }
  [[nodiscard]] double sum(double value) const override { return sum_of_ranks(value); }
  [[nodiscard]] double most(double value) const override {
    return remote::reduce(value, [](double a, double b) { return std::max(a, b); });
  }
};

}  // namespace

RankSamples::RankSamples(const SampleOptions& options) : data_(std::make_unique<Data>()) {
  check_samples(options);
  if (options.rows < remote::ranks())
    throw Error(Errc::bad_input, fmt::format("{} rows for {} ranks", options.rows, remote::ranks()),
                "take more --rows, or fewer ranks");
  CharmExecutor e;
  const auto of = [&](std::int64_t rank) { return options.rows * rank / remote::ranks(); };
  SampleOptions own = options;
  own.first = of(remote::rank());
  own.end = of(remote::rank() + 1);
  data_->part = generate_samples(e, own);
  data_->part.all_rows = options.rows;
  data_->all = generate_samples(e, options);
  data_->name =
      fmt::format("{} rows of {} features, {}, seed {}", options.rows, options.features,
                  options.density < 1 ? fmt::format("density {:.3g}", options.density) : "dense", options.seed);
}
RankSamples::~RankSamples() = default;
RankSamples::RankSamples(RankSamples&&) noexcept = default;
RankSamples& RankSamples::operator=(RankSamples&&) noexcept = default;

std::string RankSamples::describe() const { return data_->name; }

KernelRun run_sgd_on_ranks(const std::string& kernel, const RankSamples& samples, const SgdOptions& options) {
  RankSamples::Data& data = samples.data();
  const auto known = std::find(rank_sgd_kernel_names.begin(), rank_sgd_kernel_names.end(), kernel);
  if (known == rank_sgd_kernel_names.end())
    throw Error(Errc::bad_config, fmt::format("kernel '{}' does not run on several ranks", kernel),
                fmt::format("choose among {}", fmt::join(rank_sgd_kernel_names, ", ")));
  CharmExecutor e;
  if (!data.reference) data.reference = solve_reference(e, data.all);
  const Reference& best = *data.reference;
  const AmongRanks exchange;
  DescentOptions descent;
  descent.replication = static_cast<Replication>(known - rank_sgd_kernel_names.begin());
  descent.update = static_cast<Update>(std::find(sgd_update_names.begin(), sgd_update_names.end(), options.update) -
                                       sgd_update_names.begin());
  descent.epochs = options.epochs;
  descent.step = options.step;
  descent.target = objective_with(best, options.target);
  descent.exchange = &exchange;
  Trial trial;
  Descent found;
  trial.seconds = seconds_of_ranks([&] { found = descend(e, data.part, descent); });
  found.replicas = sum_of_ranks(found.replicas);
  const auto bytes = static_cast<double>(sum_of_ranks(data.part.bytes()));
  trial.work = bytes * (2.0 * found.epochs + 1);
  trial.detail = describe(found, best, bytes);
  trial.wrong = first_complaint(
      complaint(exact_objective(e, data.all, widened(found.model), nullptr), found, best, options.target));
  KernelRun result{kernel, "charm", "GB/s", {}, {}, true, {}};
  add(result, trial);
  return result;
}

std::uint64_t sgd_bytes_of_rank(const SampleOptions& options, int workers, int ranks) {
  const std::uint64_t whole = sgd_bytes(options, workers);
  const std::uint64_t part = sample_bytes(options) / static_cast<std::uint64_t>(ranks);
  return whole > UINT64_MAX - part ? whole : whole + part;
}

}  // namespace charm::workloads
