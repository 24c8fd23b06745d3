// The entry for SGD: samples in memory, and verified, timed trials of the kernels that sgd_kernel_names has. What is in
// workloads/kernel_run.hpp for the graph kernels is here for these.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "workloads/kernel_run.hpp"
#include "workloads/sgd/generate.hpp"

namespace charm::workloads {

/// Samples in memory, ready for the kernels. Errors are charm::Error(bad_input) and name file and line.
class SampleSet {
 public:
  static SampleSet generate(const SampleOptions& options, const Runner& runner);
  /// \param seed of the order that the rows are put into. \see load_libsvm
  /// \param scale whether large features are divided. \param l2 Samples::l2.
  static SampleSet load(const InputFile& input, std::uint64_t seed, const Runner& runner, bool scale = true,
                        double l2 = 0);
  SampleSet(SampleSet&&) noexcept;
  SampleSet& operator=(SampleSet&&) noexcept;
  ~SampleSet();

  [[nodiscard]] std::string describe() const;  ///< "10000 rows of 8192 features, dense, seed 1"

  struct Data;
  [[nodiscard]] Data& data() const { return *data_; }

 private:
  explicit SampleSet(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// Bytes that a pass over all rows reads.
std::uint64_t bytes_of(const SampleSet& samples);

/// The samples as LIBSVM's text, features counted from 1. \throws Error (system) if the file cannot be written.
void write_libsvm(const SampleSet& samples, const std::string& path);

struct SgdOptions {
  std::string update = "hogwild";  ///< one of sgd_update_names
  int epochs = 500;                ///< a descent that needs more fails
  double target = .05;             ///< a descent ends when this share of the loss that can be removed is left
  double step = 0;                 ///< the first; 0: the largest that is safe for the longest row
};

/// Runs and validates. The reference solution is found on the first use, untimed. Unknown names are
/// charm::Error(bad_config).
KernelRun run_sgd(const std::string& kernel, const Runner& runner, const SampleSet& samples,
                  const SgdOptions& options = {}, int trials = 1, const Progress& progress = {});

/// Bytes that a run on generated samples needs at its peak, with the models and sums of `workers` workers.
/// \param by_column whether sgd-column is among the kernels, which keeps the samples a second time, by feature.
std::uint64_t sgd_bytes(const SampleOptions& options, int workers, bool by_column = false);

}  // namespace charm::workloads
