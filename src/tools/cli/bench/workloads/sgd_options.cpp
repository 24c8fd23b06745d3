#include "tools/cli/bench/workloads/sgd_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/cli/options.hpp"
#include "workloads/names.hpp"

namespace charm::cli {

const WorkloadText& SgdWorkload::text() const {
  static constexpr WorkloadText words = {
      .name = "sgd",
      .summary = "Logistic regression by stochastic gradient descent",
      .example = "  charm bench sgd --rows 20000 --features 1000 --kernel sgd-core,sgd-chiplet --json",
      .title = "CHARM: stochastic gradient descent",
      .file = "sample",
      .file_format = "file in the format of LIBSVM",
      .on_ranks = true};
  return words;
}

std::vector<std::string> SgdWorkload::kernels() const { return workloads::sgd_kernels(); }

std::vector<std::string> SgdWorkload::runtimes() const { return workloads::sgd_runtimes(); }

std::vector<std::string> SgdWorkload::kernels_by_default(const BenchRequest& /*request*/,
                                                         const std::vector<std::string>& known) const {
  std::vector<std::string> chosen = known;
  std::erase(chosen, "sgd-column");
  return chosen;
}

void SgdWorkload::declare(CLI::App& app, BenchRequest& request) {
  whole_number(app.add_option("--rows", rows, "Generate so many samples [10000]"), 2, INT32_MAX);
  whole_number(app.add_option("--features", features, "Features of a generated sample [8192]"), 1, INT32_MAX);
  number_within(
      app.add_option("--density", density, "Share of the features that each sample has; below 1 they are sparse [1]"),
      1e-9, 1);
  declare_file(app, request, "Load samples in the format of LIBSVM, also gzipped");
  declare_seed(app, request, "Seed of the samples, or of a file's order [1]");
  some_of(list_option(app, "--kernel", request.kernels, "Passes and descents to run [all but sgd-column]"), kernels());
  one_of(app.add_option("--update", update, "How workers change a replica that they share [hogwild]"),
         workloads::sgd_updates());
  whole_number(app.add_option("--epochs", epochs, "Epochs after which a descent has failed [500]"), 1, 1000000);
  number_within(app.add_option("--step", step,
                               "First step of the descents by row; it grows while the objective falls, and is halved "
                               "where it rises [the largest "
                               "that is safe for the longest row]"),
                1e-12, 1e12);
  number_within(app.add_option("--l2", l2, "Weight of |w|^2/2 in the objective [1/rows]"), 1e-9, 1e6);
  one_of(app.add_option(
             "--scale", scale,
             "Of a file's features: divided by their largest magnitude if one is above 1, or as they are [max]"),
         {"max", "none"});
  number_within(
      app.add_option("--target", target, "Share of the removable loss that is left when a descent ends [0.05]"), 1e-4,
      .99);
}

void SgdWorkload::check_options(const BenchRequest& request) const {
  if (scale && request.file.value_or("").empty())
    refuse("--scale is of a file's features", "give --file, or drop --scale");
  check_file_option(
      *this, request,
      {{"--rows", rows.has_value()}, {"--features", features.has_value()}, {"--density", density.has_value()}},
      "generate samples or load them");
}

void SgdWorkload::check_plan(const BenchPlan& plan, const Facts& facts) const {
  const auto needed = bytes_too_many(*this, plan, facts);
  if (!needed) return;
  std::int64_t fits = samples().rows;
  SgdWorkload smaller = *this;
  bool some_fit = false;
  while (fits > 2 && !some_fit) {
    fits = std::max<std::int64_t>(2, fits / 2);
    smaller.rows = fits;
    some_fit = !bytes_too_many(smaller, plan, facts);
  }
  refuse(fmt::format("--rows {} of --features {} {}", samples().rows, samples().features,
                     lacking_memory("need", *needed, facts)),
         some_fit ? fmt::format("take --rows {} or a lower --density", fits) : "take fewer --features");
}

SgdSamples SgdWorkload::samples() const {
  SgdSamples made;
  made.rows = rows.value_or(made.rows);
  made.features = features.value_or(made.features);
  made.density = density.value_or(made.density);
  return made;
}

}  // namespace charm::cli
