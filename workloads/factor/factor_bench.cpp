// Timed and validated trials of factorisations.
#include "workloads/factor/factor_bench.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/factor/blas.hpp"
#include "workloads/factor/dag_run.hpp"
#include "workloads/factor/elimination.hpp"
#include "workloads/factor/matrix_market.hpp"
#include "workloads/factor/moves.hpp"
#include "workloads/factor/names.hpp"
#include "workloads/factor/reference.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {

namespace {

/// Rounding leaves 1e-15 or so; pivots that let elements grow may add a few digits, an error in the algorithm more.
constexpr double error_allowed = 1e-11;

struct Prepared {
  std::unique_ptr<factor::SparseMatrix> matrix;  // LQ's: the transpose
  std::unique_ptr<factor::Computation> computation;
  std::optional<factor::Reference> reference;  // none for a product
  factor::Position columns = 0;
  int tile = 0;
  double grain = 0;
};

/// Touches what a run touches, and does nothing.
class NoWork final : public factor::TaskBody {
 public:
  void run(factor::Task /*task*/) noexcept override {}
};

[[noreturn]] void refuse_matrix(const std::string& problem, const std::string& remedy) {
  throw Error(Errc::bad_input, problem, remedy);
}

std::string shape(const factor::SparseMatrix& a) { return fmt::format("{} rows and {} columns", a.rows, a.columns); }

factor::Method method_of(const std::string& kernel) {
  if (kernel == "cholesky") return factor::Method::cholesky;
  return kernel == "lu" ? factor::Method::lu : factor::Method::qr;
}

void check_shape(const std::string& kernel, const factor::SparseMatrix& a) {
  if (kernel == "qr" && a.rows < a.columns)
    refuse_matrix(fmt::format("qr: {} has {}", a.name, shape(a)), "take lq where there are fewer rows than columns");
  if (kernel == "lq" && a.rows > a.columns)
    refuse_matrix(fmt::format("lq: {} has {}", a.name, shape(a)), "take qr where there are more rows than columns");
  if (kernel != "cholesky" && kernel != "lu") return;
  if (a.rows != a.columns)
    refuse_matrix(fmt::format("{}: {} is not square: it has {}", kernel, a.name, shape(a)), "take qr or lq");
  if (kernel == "cholesky" && !factor::is_symmetric(a))
    refuse_matrix(fmt::format("cholesky: {} is not symmetric", a.name), "take lu");
}

void check_options(const FactorOptions& options) {
  if (options.tile < 8 || options.tile > 4096)
    throw Error(Errc::bad_config, fmt::format("tiles of {} columns are out of range", options.tile), "use 8 to 4096");
  if (!(options.grain >= 0))
    throw Error(Errc::bad_config, fmt::format("a grain of {} operations is out of range", options.grain),
                "use 0 or more");
}

void check_fits(std::uint64_t needed, std::optional<std::uint64_t> available, const std::string& what) {
  if (!available || needed <= *available) return;
  refuse_matrix(fmt::format("{} needs up to {:.1f} GiB of memory and {:.1f} are available", what,
                            static_cast<double>(needed) / (1 << 30), static_cast<double>(*available) / (1 << 30)),
                "take a smaller matrix");
}

/// Householder reflections, and the check of their answer, square the values.
void check_squares(const std::string& kernel, const factor::SparseMatrix& a) {
  constexpr double least = 1e-150;
  constexpr double most = 1e150;
  double largest = 0;
  for (const double value : a.values) largest = std::max(largest, std::fabs(value));
  if (largest == 0 || (largest >= least && largest <= most)) return;
  refuse_matrix(
      fmt::format("{}: the largest value of {} is {:.1e}, whose square is beyond double precision", kernel, a.name,
                  largest),
      fmt::format("multiply all values by the same number, so that it lies between {:.0e} and {:.0e}", least, most));
}

}  // namespace

struct FactorInput::Data {
  std::unique_ptr<factor::SparseMatrix> matrix;
  std::string made_by;
  std::uint64_t seed = 1;
  std::map<std::string, Prepared> prepared;  // by kernel
};

FactorInput::FactorInput(std::unique_ptr<Data> data) : data_(std::move(data)) {}
FactorInput::FactorInput(FactorInput&&) noexcept = default;
FactorInput& FactorInput::operator=(FactorInput&&) noexcept = default;
FactorInput::~FactorInput() = default;

FactorInput FactorInput::generate(const factor::MatrixOptions& options) {
  auto data = std::make_unique<Data>();
  data->matrix = std::make_unique<factor::SparseMatrix>(factor::generate_matrix(options));
  data->made_by = fmt::format(", seed {}", options.seed);
  data->seed = options.seed;
  return FactorInput(std::move(data));
}

FactorInput FactorInput::load(const InputFile& input, std::uint64_t seed) {
  auto data = std::make_unique<Data>();
  data->matrix = std::make_unique<factor::SparseMatrix>(factor::load_matrix(input));
  data->seed = seed;
  return FactorInput(std::move(data));
}

std::string FactorInput::describe() const {
  const factor::SparseMatrix& a = *data_->matrix;
  return fmt::format("{}: {}, {} entries{}; {}, one thread", a.name,
                     a.rows == a.columns ? fmt::format("{} rows and columns", a.rows) : shape(a), a.entries(),
                     data_->made_by, factor::blas_name());
}

void FactorInput::prepare(const std::string& kernel, const FactorOptions& options,
                          std::optional<std::uint64_t> available) {
  const auto known = factor_kernels();
  if (std::find(known.begin(), known.end(), kernel) == known.end())
    throw Error(Errc::bad_config, fmt::format("kernel '{}' is unknown", kernel),
                fmt::format("choose among {}", fmt::join(known, ", ")));
  check_options(options);
  const factor::SparseMatrix& a = *data_->matrix;
  if (const auto found = data_->prepared.find(kernel);
      found != data_->prepared.end() && found->second.tile == options.tile && found->second.grain == options.grain)
    return;
  factor::use_one_thread();
  Prepared made;
  made.tile = options.tile;
  made.grain = options.grain;
  made.columns = a.columns;
  const factor::TileOptions tiles{options.tile, options.grain};
  if (kernel == "gemm") {
    if (!a.full() || a.rows != a.columns)
      refuse_matrix(fmt::format("gemm: {} is not a full square matrix", a.name), "take --matrix dense");
    check_fits(3 * sizeof(double) * static_cast<std::uint64_t>(a.rows) * static_cast<std::uint64_t>(a.rows), available,
               "the product");
    made.computation = factor::make_gemm(a.rows, data_->seed, tiles);
  } else {
    check_shape(kernel, a);
    if (kernel == "qr" || kernel == "lq") check_squares(kernel, a);
    if (kernel == "lq") made.matrix = std::make_unique<factor::SparseMatrix>(factor::transposed(a));
    const factor::SparseMatrix& taken = made.matrix ? *made.matrix : a;
    const factor::Method method = method_of(kernel);
    factor::FrontTree tree = factor::analyse(taken, method);
    check_fits(tree.bytes, available, fmt::format("{} of {}", kernel, a.name));
    made.reference = factor::ask_suitesparse(taken, method);
    if (!made.reference->wrong.empty()) refuse_matrix(kernel + ": " + made.reference->wrong, "give another matrix");
    made.columns = taken.columns;
    made.computation = factor::make_elimination(taken, std::move(tree), tiles);
  }
  data_->prepared.insert_or_assign(kernel, std::move(made));
}

FactorRun run_factor(const std::string& kernel, const Runner& runner, FactorInput& input, const FactorOptions& options,
                     int trials, const Progress& progress) {
  input.prepare(kernel, options);
  Prepared& prepared = input.data().prepared.at(kernel);
  factor::Computation& computation = *prepared.computation;
  FactorRun result{{kernel, runner.runtime, "Gflop/s", {}, {}, trials > 0, {}}, {}, {}};
  const auto dag_run = factor::make_dag_run(runner, computation.dag(), computation.kinds(), options.schedule);
  NoWork nothing;
  dag_run->run(nothing);  // threads that start with their first work must not be timed with it
  for (int i = 0; i < trials; ++i) {
    if (progress) progress(kernel, runner.runtime, i, trials);
    computation.begin();
    Trial trial;
    const factor::Moves moves;
    trial.seconds = seconds_of([&] { dag_run->run(computation); });
    if (const auto count = moves.page_faults()) result.page_faults.push_back(*count);
    if (const auto count = moves.migrations()) result.migrations.push_back(*count);
    computation.end();
    trial.work = computation.flops();
    const double error = computation.error();
    const std::string schedule = dag_run->last_schedule();
    trial.detail = fmt::format("{}; error {:.1e}{}", computation.describe(), error,
                               schedule.empty() ? "" : ", run as a " + schedule);
    if (!(error <= error_allowed))
      trial.wrong = fmt::format("the error is {:.1e}, and rounding explains {:.0e}", error, error_allowed);
    if (prepared.reference && trial.wrong.empty()) {
      const double found = computation.log_determinant();
      const double right = prepared.reference->log_determinant;
      if (!(std::fabs(found - right) <= factor::allowed_difference(*prepared.reference, prepared.columns)))
        trial.wrong =
            fmt::format("the logarithm of the determinant is {:.12g}, SuiteSparse finds {:.12g}", found, right);
    }
    add(result.run, trial);
  }
  computation.begin();  // frees the factor: the next runtime's trial must find as much memory
  return result;
}

FactorTasks record_factor(const std::string& kernel, FactorInput& input, const FactorOptions& options, int rounds) {
  input.prepare(kernel, options);
  factor::Computation& computation = *input.data().prepared.at(kernel).computation;
  const factor::TaskDag& dag = computation.dag();
  const auto size = static_cast<std::size_t>(dag.size());
  FactorTasks tasks{computation.flops() / 1e9, std::vector<double>(size), std::vector<double>(size), {}};
  tasks.after.resize(size);
  for (int round = 0; round < rounds; ++round) {
    computation.begin();
    for (std::size_t t = 0; t < size; ++t) {
      const double ns = 1e9 * seconds_of([&] { computation.run(static_cast<factor::Task>(t)); });
      tasks.ns[t] = round == 0 ? ns : std::min(tasks.ns[t], ns);
    }
    computation.end();
  }
  for (std::size_t t = 0; t < size; ++t) {
    tasks.bytes[t] = computation.bytes_left(static_cast<factor::Task>(t));
    dag.successors(static_cast<factor::Task>(t), [&](factor::Task after) { tasks.after[t].push_back(after); });
  }
  computation.begin();
  return tasks;
}

std::uint64_t factor_bytes(const factor::MatrixOptions& options) {
  // The list of entries, the columns made of it, and the transpose.
  return static_cast<std::uint64_t>(factor::generated_entries(options)) *
             (sizeof(factor::Entry) + 4 * sizeof(factor::Position)) +
         (std::uint64_t{16} << 20U);
}

}  // namespace charm::workloads
