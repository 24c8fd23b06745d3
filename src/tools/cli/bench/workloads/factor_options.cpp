#include "tools/cli/bench/workloads/factor_options.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "tools/cli/options.hpp"
#include "workloads/factor/names.hpp"

namespace charm::cli {

const WorkloadText& FactorWorkload::text() const {
  static constexpr WorkloadText words = {
      .name = "factor",
      .summary = "Cholesky, LU, QR and LQ of sparse and full matrices, GEMM",
      .example =
          "  charm bench factor --matrix laplace3d --size 27000 --kernel cholesky\n"
          "  charm bench factor --matrix dense --size 1600 --kernel gemm --bind core,chiplet,none",
      .title = "CHARM: matrix factorisations",
      .file = "Matrix Market",
      .file_format = "Matrix Market file",
      .places_arrays = false};  // a factorisation's fronts are where the task that opens them is
  return words;
}

std::vector<std::string> FactorWorkload::kernels() const { return workloads::factor_kernels(); }

void FactorWorkload::declare(CLI::App& app, BenchRequest& request) {
  one_of(app.add_option("--matrix", matrix, "Generate a matrix of this kind [laplace2d]"),
         workloads::factor_matrices());
  whole_number(app.add_option("--size", size, "Columns of a generated matrix [40000; dense: 1500]"), 1, INT32_MAX);
  declare_file(app, request, "Load a Matrix Market file, also gzipped");
  declare_seed(app, request, "Seed of the matrix [1]");
  some_of(list_option(app, "--kernel", request.kernels, "Kernels to run [all that fit the matrix]"), kernels());
  whole_number(app.add_option("--tile", tile, "Columns of a tile [128]"), 8, 4096);
  number_within(app.add_option("--grain", grain, "Operations below which a subtree is one task [5e5]"), 0, 1e18);
  some_of(list_option(app, "--bind", binds, "What CHARM's workers are bound to [the bind setting]"),
          {"core", "chiplet", "node", "none"});
  list_option(app, "--schedule", schedules,
              "How CHARM runs the graph: stream, batch, tree:FILE or logistic:FILE, separated by commas [stream]");
}

void FactorWorkload::check_options(const BenchRequest& request) const {
  check_file_option(*this, request, {{"--matrix", matrix.has_value()}, {"--size", size.has_value()}},
                    "generate a matrix or load one");
}

void FactorWorkload::check_plan(const BenchPlan& plan, const Facts& facts) const {
  if (plan.policies.empty() && !(binds.empty() && schedules.empty()))
    refuse(fmt::format("{} is of CHARM, and --runtime leaves CHARM out", binds.empty() ? "--schedule" : "--bind"),
           "add charm to --runtime or drop it");
  if (const auto needed = bytes_too_many(*this, plan, facts))
    refuse(fmt::format("--size {} of {} {}", columns(), kind(), lacking_memory("needs", *needed, facts)),
           "take a smaller --size");
}

std::vector<std::string> FactorWorkload::kernels_by_default(const BenchRequest& request,
                                                            const std::vector<std::string>& known) const {
  std::vector<std::string> fitting = known;
  // A product has only the size of its matrix: it belongs to the full ones.
  if (fitting.size() > 1 && (request.file || !kind().starts_with("dense"))) std::erase(fitting, "gemm");
  return fitting;
}

std::vector<RowVariant> FactorWorkload::variants() const {
  const std::vector<std::string> as_set = {""};
  std::vector<RowVariant> all;
  for (const auto& bind : binds.empty() ? as_set : binds)
    for (const auto& schedule : schedules.empty() ? as_set : schedules) all.push_back({bind, schedule});
  return all;
}

std::int64_t FactorWorkload::columns() const {
  // A full matrix of 40000 columns would take 13 GB and an hour.
  return size.value_or(kind().starts_with("dense") ? 1500 : 40000);
}

}  // namespace charm::cli
