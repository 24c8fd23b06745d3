// Timed and validated trials of SGD and of its two passes, loss and gradient.
#include "workloads/sgd/sgd_bench.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <fstream>
#include <iterator>
#include <limits>
#include <optional>
#include <stdexcept>
#include <utility>
#include <vector>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "workloads/activity.hpp"
#include "workloads/graph/random.hpp"
#include "workloads/sgd/by_column.hpp"
#include "workloads/sgd/executors.hpp"
#include "workloads/sgd/libsvm.hpp"
#include "workloads/sgd/objective.hpp"
#include "workloads/sgd/reference.hpp"
#include "workloads/sgd/sgd.hpp"
#include "workloads/sgd/verdict.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {

/// The exact loss and gradient at a model that is the same for all runtimes.
struct ProbedObjective {
  Array<float> model;
  double objective = 0;
  std::vector<double> gradient;
};

struct SampleSet::Data {
  std::string name;
  Samples samples;
  std::optional<ProbedObjective> probed;
  std::optional<Reference> reference;
  std::optional<SampleColumns> columns;
};

namespace {

template <Executor E>
const ProbedObjective& probed(E& e, SampleSet::Data& data) {
  if (!data.probed) {
    const Index features = data.samples.features;
    ProbedObjective made;
    made.model = Array<float>(features);
    for (Index j = 0; j < features; ++j) {
      const std::uint64_t random = random_at(0, static_cast<std::uint64_t>(j));
      made.model[j] = static_cast<float>(static_cast<double>(random >> 40) * 0x1p-24 - .5);
    }
    made.objective = exact_objective(e, data.samples, widened(made.model), &made.gradient);
    data.probed = std::move(made);
  }
  return *data.probed;
}

struct SgdJob {
  SampleSet::Data& data;
  const SgdOptions& options;
};

struct LossTrial {
  template <Executor E>
  static void prepare(E& e, const SgdJob& job) {
    probed(e, job.data);
  }
  template <Executor E>
  static Trial run(E& e, const SgdJob& job) {
    const ProbedObjective& expected = probed(e, job.data);
    const std::vector<const float*> models(static_cast<std::size_t>(e.workers()), expected.model.data());
    Trial trial;
    double loss = 0;
    trial.seconds = seconds_of([&] { loss = mean_loss(e, job.data.samples, models); });
    trial.work = static_cast<double>(job.data.samples.bytes());
    const double right = expected.objective - penalty(job.data.samples, expected.model);
    trial.detail = fmt::format("loss {:.6g}", loss);
    if (!(std::fabs(loss - right) <= float_tolerance * right))
      trial.wrong = fmt::format("loss {:.8g}, in double precision it is {:.8g}", loss, right);
    return trial;
  }
};

struct GradientTrial {
  template <Executor E>
  static void prepare(E& e, const SgdJob& job) {
    probed(e, job.data);
  }
  template <Executor E>
  static Trial run(E& e, const SgdJob& job) {
    const ProbedObjective& expected = probed(e, job.data);
    Trial trial;
    Array<float> slope;
    trial.seconds = seconds_of([&] { slope = gradient(e, job.data.samples, expected.model); });
    trial.work = static_cast<double>(job.data.samples.bytes());
    double length = 0;
    double error = 0;
    for (Index j = 0; j < slope.size(); ++j) {
      const double right = expected.gradient[static_cast<std::size_t>(j)];
      length += right * right;
      error += (static_cast<double>(slope[j]) - right) * (static_cast<double>(slope[j]) - right);
    }
    trial.detail = fmt::format("gradient of length {:.6g}", std::sqrt(length));
    // Where the exact gradient is all but zero, so is its error; labels and values bound what rounding can add.
    if (!(std::sqrt(error) <= float_tolerance * std::sqrt(length) + 1e-6))
      trial.wrong =
          fmt::format("the gradient is off by {:.3g}, its length is {:.3g}", std::sqrt(error), std::sqrt(length));
    return trial;
  }
};

template <class Part>
const Part& prepared(const std::optional<Part>& part) {
  if (!part) throw std::logic_error("prepare() comes before run()");
  return *part;
}

DescentOptions descent_options(const SgdJob& job) {
  DescentOptions options;
  options.epochs = job.options.epochs;
  options.step = job.options.step;
  options.target = objective_with(prepared(job.data.reference), job.options.target);
  return options;
}

template <Replication replication>
struct SgdTrial {
  template <Executor E>
  static void prepare(E& e, const SgdJob& job) {
    if (!job.data.reference) job.data.reference = solve_reference(e, job.data.samples);
  }
  template <Executor E>
  static Trial run(E& e, const SgdJob& job) {
    const Samples& samples = job.data.samples;
    const Reference& best = prepared(job.data.reference);
    DescentOptions options = descent_options(job);
    options.replication = replication;
    options.update = static_cast<Update>(
        std::find(sgd_update_names.begin(), sgd_update_names.end(), job.options.update) - sgd_update_names.begin());
    Trial trial;
    Descent found;
    trial.seconds = seconds_of([&] { found = descend(e, samples, options); });
    const auto bytes = static_cast<double>(samples.bytes());
    trial.work = bytes * (2.0 * found.epochs + 1);
    trial.detail = describe(found, best, bytes);
    trial.wrong =
        complaint(exact_objective(e, samples, widened(found.model), nullptr), found, best, job.options.target);
    return trial;
  }
};

struct ColumnTrial {
  template <Executor E>
  static void prepare(E& e, const SgdJob& job) {
    SgdTrial<Replication::machine>::prepare(e, job);
    if (!job.data.columns) job.data.columns = columns_of(e, job.data.samples);
  }
  template <Executor E>
  static Trial run(E& e, const SgdJob& job) {
    const SampleColumns& columns = prepared(job.data.columns);
    const Reference& best = prepared(job.data.reference);
    Trial trial;
    Descent found;
    trial.seconds = seconds_of([&] { found = descend_by_column(e, job.data.samples, columns, descent_options(job)); });
    trial.work = static_cast<double>(columns.bytes()) * found.epochs;
    trial.detail = fmt::format("objective {:.4f}, at best {:.4f}; {} epoch{}, updates {:.2f} GB/s", found.objective,
                               best.objective, found.epochs, found.epochs == 1 ? "" : "s",
                               trial.work / std::max(found.update_seconds, 1e-9) / 1e9);
    trial.wrong =
        complaint(exact_objective(e, job.data.samples, widened(found.model), nullptr), found, best, job.options.target);
    return trial;
  }
};

template <class Kernel>
KernelRun run_sgd_trials(const std::string& name, const Runner& runner, const SgdJob& job, int trials,
                         const Progress& progress) {
  KernelRun result{name, runner.runtime, "GB/s", {}, {}, trials > 0, {}};
  with_sgd_executor(runner, [&](auto& e) {
    e.run([&] { Kernel::prepare(e, job); });
    e.run([&] { e.team([](int, int) {}); });  // threads that start with their first work must not be timed with it
    for (int i = 0; i < trials; ++i) {
      if (progress) progress(name, runner.runtime, i, trials);
      Trial trial;
      const ActivityLog log;
      e.run([&] { trial = Kernel::run(e, job); });
      result.concurrency = log.concurrency();
      add(result, trial);
    }
  });
  return result;
}

void check(const SgdOptions& options) {
  const auto updates = sgd_updates();
  if (std::find(updates.begin(), updates.end(), options.update) == updates.end())
    throw Error(Errc::bad_config, fmt::format("update '{}' is unknown", options.update),
                fmt::format("choose among {}", fmt::join(updates, ", ")));
  if (options.epochs < 1)
    throw Error(Errc::bad_config, fmt::format("{} epochs are none", options.epochs), "use 1 or more");
  if (!(options.step >= 0))
    throw Error(Errc::bad_config, fmt::format("step {} is out of range", options.step), "use one above 0, or 0");
  if (!(options.target > 0 && options.target < 1))
    throw Error(Errc::bad_config, fmt::format("target {} is out of range", options.target),
                "use a share above 0 and below 1");
}

}  // namespace

SampleSet::SampleSet(std::unique_ptr<Data> data) : data_(std::move(data)) {}
SampleSet::SampleSet(SampleSet&&) noexcept = default;
SampleSet& SampleSet::operator=(SampleSet&&) noexcept = default;
SampleSet::~SampleSet() = default;

SampleSet SampleSet::generate(const SampleOptions& options, const Runner& runner) {
  check_samples(options);
  auto data = std::make_unique<Data>();
  with_sgd_executor(runner, [&](auto& e) { e.run([&] { data->samples = generate_samples(e, options); }); });
  data->name = fmt::format(", seed {}", options.seed);
  return SampleSet(std::move(data));
}

SampleSet SampleSet::load(const InputFile& input, std::uint64_t seed, const Runner& runner, bool scale, double l2) {
  auto data = std::make_unique<Data>();
  LoadedSamples loaded;
  with_sgd_executor(runner, [&](auto& e) { e.run([&] { loaded = load_libsvm(e, input, seed, scale); }); });
  data->samples = std::move(loaded.samples);
  data->samples.l2 = l2;
  data->name = fmt::format(", {}: label {} against {}{}", input.path(), loaded.positive, loaded.negative,
                           loaded.scaled ? "; features divided by their largest magnitude" : "");
  return SampleSet(std::move(data));
}

std::string SampleSet::describe() const {
  const Samples& samples = data_->samples;
  const double share = static_cast<double>(samples.entries()) / static_cast<double>(samples.rows) /
                       static_cast<double>(samples.features);
  return fmt::format("{} rows of {} features, {}{}", samples.rows, samples.features,
                     samples.sparse() ? fmt::format("sparse, density {:.3g}", share) : "dense",
                     data_->name + (samples.l2 > 0 ? fmt::format("; l2 {:g}", samples.l2) : ""));
}

std::uint64_t bytes_of(const SampleSet& samples) { return samples.data().samples.bytes(); }

void write_libsvm(const SampleSet& set, const std::string& path) {
  const Samples& samples = set.data().samples;
  std::ofstream file(path, std::ios::binary);
  std::string line;
  for (Index row = 0; row < samples.rows; ++row) {
    line = samples.labels[row] > 0 ? "+1" : "-1";
    const Index first = samples.sparse() ? samples.offsets[row] : row * samples.features;
    const Index end = samples.sparse() ? samples.offsets[row + 1] : first + samples.features;
    for (Index i = first; i < end; ++i) {
      const Index feature = samples.sparse() ? samples.columns[i] : i - first;
      fmt::format_to(std::back_inserter(line), " {}:{}", feature + 1, samples.values[i]);
    }
    file << line << '\n';
  }
  file.close();
  if (!file) throw Error(Errc::system, path + " cannot be written", "make room, or set TMPDIR to another folder");
}

KernelRun run_sgd(const std::string& kernel, const Runner& runner, const SampleSet& samples, const SgdOptions& options,
                  int trials, const Progress& progress) {
  check(options);
  const SgdJob job{samples.data(), options};
  const auto run = [&]<class Kernel>(Kernel) { return run_sgd_trials<Kernel>(kernel, runner, job, trials, progress); };
  if (kernel == sgd_kernel_names[0]) return run(LossTrial{});
  if (kernel == sgd_kernel_names[1]) return run(GradientTrial{});
  if (kernel == sgd_kernel_names[2]) return run(SgdTrial<Replication::core>{});
  if (kernel == sgd_kernel_names[3]) return run(SgdTrial<Replication::chiplet>{});
  if (kernel == sgd_kernel_names[4]) return run(SgdTrial<Replication::node>{});
  if (kernel == sgd_kernel_names[5]) return run(SgdTrial<Replication::machine>{});
  if (kernel == sgd_kernel_names[6]) return run(ColumnTrial{});
  throw Error(Errc::bad_config, fmt::format("kernel '{}' is unknown", kernel),
              fmt::format("choose among {}", fmt::join(sgd_kernels(), ", ")));
}

std::uint64_t sgd_bytes(const SampleOptions& options, int workers, bool by_column) {
  std::uint64_t samples = sample_bytes(options);
  if (by_column) {
    // The columns; by row a worker's residuals, and three vectors of all.
    const std::uint64_t more =
        samples + static_cast<std::uint64_t>(options.rows) * sizeof(float) * (static_cast<std::uint64_t>(workers) + 3);
    samples = samples > std::numeric_limits<std::uint64_t>::max() - more ? samples : samples + more;
  }
  // A worker has a replica, two copies of it, and sums in double precision; the reference has its 20 vectors of pairs.
  const auto vectors =
      static_cast<std::uint64_t>(options.features) *
      (static_cast<std::uint64_t>(workers) * (3 * sizeof(float) + sizeof(double)) + 32 * sizeof(double));
  constexpr std::uint64_t rest = std::uint64_t{16} << 20U;
  const std::uint64_t most = std::numeric_limits<std::uint64_t>::max();
  return samples > most - vectors - rest ? most : samples + vectors + rest;
}

}  // namespace charm::workloads
