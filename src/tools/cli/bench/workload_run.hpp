// A workload of `charm bench` as charm-bench runs it: its input and its trials. The other half, which the command line
// sees, is in workload.hpp. Each workload has a function `run_of` that makes this half from that one.
#pragma once

#include <charm/config.hpp>
#include <charm/error.hpp>

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "tools/cli/bench/plan.hpp"
#include "tools/cli/bench/result.hpp"
#include "workloads/kernel_run.hpp"

namespace charm::cli {

/// What a workload uses of the benchmark while it makes its input.
class Preparation {
 public:
  [[nodiscard]] virtual const BenchPlan& plan() const = 0;
  /// Says what is done now, as a line of progress.
  virtual void step(const std::string& what) = 0;
  /// Keeps a remark for the results, once.
  virtual void note(const std::string& text) = 0;
  /// Keeps for the results that a kernel cannot do the input.
  virtual void leave_out(const std::string& kernel, const Error& why) = 0;

  /// The runtime that makes inputs, which are the same on each: that of the first row that is not serial.
  [[nodiscard]] virtual const std::string& builder() const = 0;
  /// Calls `make` with the builder's runner, on the thread that its runtime belongs to, and keeps the time and memory
  /// that it takes, and the description of the input that it returns.
  virtual void make_input(const std::function<std::string(const workloads::Runner&)>& make) = 0;
  /// The same on the calling thread, where the mask of the process holds and not that of a worker.
  virtual void make_input_here(const std::function<std::string()>& make) = 0;
  /// Instead of make_input(), if each trial makes its own input.
  virtual void no_input(const std::string& description) = 0;

  /// A folder for what peers read and write, which is removed at the end.
  virtual const std::string& peer_folder() = 0;
  /// The planned rows. Erased rows do not run.
  virtual std::vector<Measurement>& rows() = 0;

 protected:
  ~Preparation() = default;
};

class WorkloadRun {
 public:
  virtual ~WorkloadRun() = default;

  /// Bytes that the plan needs at its peak, told before anything runs; 0: the workload has a limit of its own.
  /// \param nodes number of NUMA nodes that have workers.
  [[nodiscard]] virtual std::uint64_t needed_bytes(const BenchPlan& plan, int nodes) const = 0;
  /// What charm::init gets besides workers and policy.
  [[nodiscard]] virtual Config config(const base::Settings& /*settings*/) const { return {}; }

  /// Makes the input of all rows.
  virtual void prepare(Preparation& bench) = 0;
  /// One trial of a row. \param trial from 0; a warm-up is trial 0, too.
  virtual workloads::KernelRun trial(const Measurement& row, const workloads::Runner& runner, int trial) = 0;
  struct PeerTrial {
    workloads::KernelRun run;
    std::uint64_t peak_bytes = 0;  // of the program
  };
  /// One trial of a row whose program is the user's.
  virtual PeerTrial peer_trial(const Measurement& /*row*/, int /*trial*/) { return {}; }
  /// Whether a trial that is not timed comes first: it starts threads, touches stacks and fills caches.
  [[nodiscard]] virtual bool warms_up(const std::string& /*kernel*/) const { return true; }
  /// Adds to a row what its last trial has counted.
  virtual void add_counts(Result& /*row*/) {}
  /// What the kernel needs, after its last trial.
  virtual std::optional<QueryProfile> profile(const std::string& /*kernel*/) { return {}; }

 protected:
  WorkloadRun() = default;
  WorkloadRun(const WorkloadRun&) = default;
  WorkloadRun& operator=(const WorkloadRun&) = default;
};

}  // namespace charm::cli
