// The entry for factorisations: a matrix in memory, and verified, timed trials of the kernels that factor_kernel_names
// has. What is in workloads/kernel_run.hpp for the graph kernels is here for these. A build without SuiteSparse and
// BLAS has the same functions, which say what to install (unavailable.cpp).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "workloads/factor/generate.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::workloads {

struct FactorOptions {
  int tile = 128;                   ///< columns of a tile, 8 to 4096
  double grain = 5e5;               ///< operations below which a subtree of fronts is one task
  std::string schedule = "stream";  ///< of CHARM's graphs: stream, batch or a selector's description
};

/// A matrix, and what has been found out about it. Errors are charm::Error(bad_input), for a file with its line.
class FactorInput {
 public:
  static FactorInput generate(const factor::MatrixOptions& options);
  static FactorInput load(const InputFile& input, std::uint64_t seed);
  FactorInput(FactorInput&&) noexcept;
  FactorInput& operator=(FactorInput&&) noexcept;
  ~FactorInput();

  /// Analyses the matrix for a kernel and lets SuiteSparse factorise it: what the answers are compared with.
  /// \param available bytes of memory that may be used; none: unknown.
  /// \throws Error (bad_input) if the kernel is not for such a matrix: not square, not definite, singular, too large;
  /// (bad_config) for an unknown kernel.
  void prepare(const std::string& kernel, const FactorOptions& options, std::optional<std::uint64_t> available = {});

  [[nodiscard]] std::string describe() const;  ///< "laplace2d: 40000 rows and columns, 199200 entries; OpenBLAS 0.3.21"

  struct Data;
  [[nodiscard]] Data& data() const { return *data_; }

 private:
  explicit FactorInput(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

/// The trials of a kernel, and what happened to the process in each: counts are missing where the kernel tells none.
struct FactorRun {
  KernelRun run;
  std::vector<std::uint64_t> page_faults;
  std::vector<std::uint64_t> migrations;  ///< of all its threads, from cpu to cpu
};

/// Runs and validates; prepares if that was not done. A trial is the numeric factorisation: memory of the factor is
/// taken in it, the analysis and the graph of tasks are made before. A wrong answer gives a run that is not verified.
/// \throws Error (bad_config) for unknown names.
FactorRun run_factor(const std::string& kernel, const Runner& runner, FactorInput& input,
                     const FactorOptions& options = {}, int trials = 1, const Progress& progress = {});

/// The tasks of a kernel, for a simulator.
struct FactorTasks {
  double gflop = 0;
  std::vector<double> ns;     ///< on one thread: the least of the rounds
  std::vector<double> bytes;  ///< that a task leaves for those after it
  std::vector<std::vector<int>> after;
};
/// Runs them one after the other. \throws as run_factor().
FactorTasks record_factor(const std::string& kernel, FactorInput& input, const FactorOptions& options, int rounds);

/// Bytes that a generated matrix needs while it is made.
std::uint64_t factor_bytes(const factor::MatrixOptions& options);

}  // namespace charm::workloads
