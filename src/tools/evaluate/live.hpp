// Measures on this machine: memory kernels and moves by threads of this process, everything that links OpenMP and
// oneTBB in children that run `charm bench`.
#pragma once

#include <charm/machine.hpp>

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "counters/source.hpp"
#include "tools/evaluate/measuring.hpp"

namespace charm::evaluate {

/// A file of weights for programs under the malloc, and what it promises: the part of a huge block on each node (OS
/// number).
struct Weights {
  std::string file;
  std::map<int, double> parts;
};

class LiveMeasuring : public Measuring {
 public:
  struct Around {
    std::string program;                  ///< the command, which knows `bench`
    std::string folder;                   ///< for files that are removed again
    std::function<bool()> asked_to_stop;  ///< whether a signal has arrived
    /// Opens the counters that a worker would read; called when they are first needed.
    std::function<std::unique_ptr<counters::Source>()> counters;
    std::string malloc_library = {};  ///< libcharm_malloc.so; empty: there is none
    bool several_memories = false;    ///< of the machine: how they differ is measured before blocks are placed
  };
  explicit LiveMeasuring(Around around) : around_(std::move(around)) {}
  ~LiveMeasuring() override;
  LiveMeasuring(const LiveMeasuring&) = delete;
  LiveMeasuring& operator=(const LiveMeasuring&) = delete;

  double measure(const Variant& variant, double limit_s) override;
  std::vector<Samples> bench(const Job& job, double limit_s) override;
  bool stopped() override { return stopped_ = stopped_ || around_.asked_to_stop(); }

 private:
  double one(const StreamRun& run, double limit_s);
  double one(const MoveRun& run, double limit_s);
  double one(const ReadingRun& run, double limit_s);
  double one(const DecisionRun& run, double limit_s);
  double one(const FillRun& run, double limit_s);
  double one(const MallocRun& run, double limit_s);
  const Weights& weights_of(const MallocRun& run, double limit_s);
  /// What `charm WORDS --json --quiet` prints.
  std::string said_by(const std::vector<std::string>& words, const std::vector<std::string>& variables, double limit_s);
  std::string said_by_bench(std::vector<std::string> words, const std::vector<std::string>& variables, double limit_s);

  Around around_;
  std::map<std::string, Weights> weights_;  ///< by policy and number of threads
  std::unique_ptr<counters::Source> source_;
  bool stopped_ = false;
};

/// The rows of what `charm bench --json` prints: seconds, or commits a second of transactions. \throws Error (system)
/// if it is not that, or an answer was wrong.
std::vector<Samples> bench_rows(const std::string& json);

/// The lines from `part` that all workers of a recording (counters/recording.hpp) got, or their share of those from
/// `whole` if that is not empty. \throws Error (system) if the recording does not count them.
double recorded_fills(const std::string& recording, counters::FillSet part, counters::FillSet whole);

/// The parts of a huge block that the cpus of a node allocate, as `charm malloc weights --json` prints them. \throws
/// Error (system) if it is not that.
std::map<int, double> weights_said(const std::string& json, int node);

/// The sample in what `charm malloc speed --json` prints. \throws Error (system) if it is not that, or if the pages of
/// the block that was read do not lie as promised. \param promised by node; empty: nothing was.
double speed_said(const std::string& json, const MallocRun& run, const std::map<int, double>& promised);

}  // namespace charm::evaluate
