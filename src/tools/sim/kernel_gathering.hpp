// Linux's cache-aware scheduling (since 7.2) as a model: on which last-level cache the busy threads of some processes
// are from one moment to the next. The rule is that of kernel/sched/fair.c as docs/design/simulator.md states it: each
// process prefers the cache on which it fills most cpus, and the load balancer moves its threads there while that cache
// is less than half busy.
//
// Threads are always busy for their share of time, so caches are counted in threads, and a step is an epoch. Times are
// those of the rule, not of a machine; the model is for places, not for moments.
#pragma once

#include <cstddef>
#include <vector>

namespace charm::sim {

/// The switches of debugfs sched/llc_balancing.
struct GatheringKnobs {
  bool enabled = true;
  int aggr_tolerance = 1;  ///< 0: nothing is gathered; 100: whatever its size
  int overaggr_percent = 50;
  int imbalance_percent = 20;
  bool numa_balancing = false;  ///< then processes larger than a cache are left alone
};

class KernelGathering {
 public:
  /// \param cpus of each last-level cache. \param cache_bytes of each. \param smt hardware threads of a core.
  KernelGathering(std::vector<int> cpus, std::vector<double> cache_bytes, int smt, GatheringKnobs knobs);

  /// \param footprint bytes that NUMA balancing has seen it touch. \return its number.
  int add_process(double footprint = 0);
  /// A thread of a process on a cache. \param share of a cpu that it uses. \return its number.
  std::size_t add_thread(int process, int cache, double share = 1);
  void end_thread(std::size_t thread);
  /// Its mask is that of a cache, so that nobody moves it.
  void hold_thread(std::size_t thread, int cache);
  void release_thread(std::size_t thread) { threads_[thread].held = false; }

  /// An epoch: processes look where they are, and each cache pulls one thread at most.
  void step();
  void steps(int count);

  /// The cache of a thread; -1: it has ended.
  [[nodiscard]] int cache_of(std::size_t thread) const { return threads_[thread].cache; }
  /// Threads of a process on each cache.
  [[nodiscard]] std::vector<int> shape(int process) const;
  /// The cache that it prefers; -1: none.
  [[nodiscard]] int preferred(int process) const { return processes_[static_cast<std::size_t>(process)].preferred; }

 private:
  static constexpr int none = -1;

  struct Thread {
    int process = 0, cache = 0;
    double share = 1;
    bool held = false;
  };
  struct Process {
    double footprint = 0;
    int preferred = none;
    int average = 0;  ///< of threads on a cpu; in whole numbers, as the kernel has it
  };
  enum class Verdict { unrestricted, forbidden, allowed };

  void look(int process);
  [[nodiscard]] bool is_left_alone(const Process& process) const;
  [[nodiscard]] Verdict may_move(int from, int to, double share, bool to_preferred) const;
  bool pull_home(int to);
  bool balance(int to);
  void count();

  std::vector<int> cpus_;
  std::vector<double> cache_bytes_;
  int smt_;
  GatheringKnobs knobs_;
  std::vector<Process> processes_;
  std::vector<Thread> threads_;
  std::vector<double> busy_;  ///< cpus of each cache that are busy, as of the last balance
  std::vector<int> on_;       ///< threads on each cache
  int first_ = 0;             ///< the cache that balances first
};

}  // namespace charm::sim
