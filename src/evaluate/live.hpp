// Measures on this machine: memory kernels and moves by threads of this process, everything that links OpenMP and
// oneTBB in children that run `charm bench`.
#pragma once

#include <charm/machine.hpp>

#include <functional>
#include <memory>
#include <string>

#include "counters/source.hpp"
#include "evaluate/measuring.hpp"

namespace charm::evaluate {

class LiveMeasuring : public Measuring {
 public:
  struct Around {
    std::string program;                  ///< the command, which knows `bench`
    std::string folder;                   ///< for files that are removed again
    std::function<bool()> asked_to_stop;  ///< whether a signal has arrived
    /// Opens the counters that a worker would read; called when they are first needed.
    std::function<std::unique_ptr<counters::Source>()> counters;
  };
  explicit LiveMeasuring(Around around) : around_(std::move(around)) {}

  double measure(const Run& run, double limit_s) override;
  std::vector<Samples> bench(const Job& job, double limit_s) override;
  bool stopped() override { return stopped_ = stopped_ || around_.asked_to_stop(); }

 private:
  double one(const StreamRun& run, double limit_s);
  double one(const MoveRun& run, double limit_s);
  double one(const ReadingRun& run, double limit_s);
  double one(const DecisionRun& run, double limit_s);
  double one(const FillRun& run, double limit_s);
  std::string said_by_bench(const std::vector<std::string>& words, const std::vector<std::string>& variables,
                            double limit_s);

  Around around_;
  std::unique_ptr<counters::Source> source_;
  bool stopped_ = false;
};

/// The rows of what `charm bench --json` prints: seconds, or commits a second of transactions. \throws Error (system)
/// if it is not that, or an answer was wrong.
std::vector<Samples> bench_rows(const std::string& json);

/// The lines from `part` that all workers of a recording (counters/recording.hpp) got, or their share of those from
/// `whole` if that is not empty. \throws Error (system) if the recording does not count them.
double recorded_fills(const std::string& recording, counters::FillSet part, counters::FillSet whole);

}  // namespace charm::evaluate
