// Computes from two samples of the machine what happened between them. Pure, except that it remembers on which chiplet
// each thread was.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <deque>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "counters/source.hpp"
#include "os/machine/cpu_load.hpp"
#include "os/threads/thread_list.hpp"
#include "tools/top/snapshot.hpp"

namespace charm::top {

/// A process and what only has to be read again when it has run.
struct ProcessSample {
  os::ProcessView view;
  std::string user;
  std::string command;
};

/// One sample.
struct Sample {
  double at_s = 0;  ///< monotonic clock
  bool ended = false;
  int processes = 1;
  int threads_of_all = 0;  ///< number of threads that exist; 0: as many as `threads`
  std::map<int, os::CpuTime> cpus;
  std::vector<os::ThreadView> threads;
  std::vector<ProcessSample> by_process;                 ///< by pid
  std::unordered_map<int, counters::Reading> by_thread;  ///< totals since the thread was met; by tid
  std::unordered_map<int, counters::Reading> by_cpu;     ///< the same by cpu, where whole cpus are counted
};

class Watch {
 public:
  static constexpr std::size_t kept_moves = 64;

  /// \param pid 0: the whole machine. \param program its name.
  Watch(const Machine& machine, int pid, std::string program);

  /// The changes since the previous sample; for the first sample only the cpus of the threads.
  Snapshot next(const Sample& sample);

 private:
  struct Known {
    os::ThreadView view;
    counters::Reading reading;
    int chiplet = -1;
    std::uint64_t moves = 0;
    std::uint64_t seen = 0;  // number of the sample in which it was seen last
  };
  [[nodiscard]] int chiplet_of(int cpu) const;
  ThreadShare share_of(const os::ThreadView& thread, const Sample& sample, double seconds);
  [[nodiscard]] std::vector<ChipletShare> chiplets(const Sample& sample, const std::vector<ThreadShare>& rows,
                                                   double seconds) const;
  [[nodiscard]] std::vector<ProcessShare> processes(const Sample& sample, const std::vector<ThreadShare>& rows,
                                                    double seconds) const;
  void add_fills(Snapshot& snapshot, const Sample& sample, double seconds) const;

  Machine machine_;
  int pid_;
  std::string program_;
  std::vector<int> chiplet_by_cpu_;  // -1: not listed
  Sample before_;
  std::uint64_t looks_ = 0;
  double started_s_ = 0;
  std::unordered_map<int, Known> known_;
  std::deque<Move> moves_;
  std::uint64_t moves_seen_ = 0;
};

/// The rates between two readings of one thread, of the sources that both have.
FillRates rates_between(const counters::Reading& before, const counters::Reading& after, double seconds);
void add(FillRates& to, const FillRates& more);
/// The bandwidth of the lines from memory, in GB/s; nothing if these are not counted.
std::optional<double> memory_rate(const FillRates& fills);

}  // namespace charm::top
