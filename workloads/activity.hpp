// How many threads run the bodies of a kernel's loops at a time: the thread concurrency of CHARM Fig. 12. Kernels mark
// their bodies by RunningBody, on every runtime alike; this costs a branch unless an ActivityLog exists.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

namespace charm::workloads {

/// The concurrency of one trial.
struct ThreadConcurrency {
  double mean = 0;              ///< threads in a body, on average from the first body's begin to the last one's end
  int threads = 0;              ///< threads that ran at least one body
  double bin_s = 0;             ///< seconds that each element of `running` stands for
  std::vector<double> running;  ///< threads in a body, on average, by time
};

/// Records bodies from its construction to its end. There is at most one at a time; no body runs when it begins or
/// ends.
class ActivityLog {
 public:
  ActivityLog();
  ~ActivityLog();
  ActivityLog(const ActivityLog&) = delete;
  ActivityLog& operator=(const ActivityLog&) = delete;

  [[nodiscard]] static ActivityLog* current() { return active.load(std::memory_order_relaxed); }
  /// A body of this thread ran from `begin_ns` to `end_ns`.
  void add(std::int64_t begin_ns, std::int64_t end_ns);
  /// \param bins number of intervals of time, at least 1.
  [[nodiscard]] ThreadConcurrency concurrency(int bins = 200) const;

 private:
  struct Body {
    int thread;
    std::int64_t begin_ns, end_ns;
  };
  static inline std::atomic<ActivityLog*> active{nullptr};
  mutable std::mutex mutex_;
  std::vector<Body> bodies_;
};

/// Exists while a body runs.
class RunningBody {
 public:
  RunningBody();
  ~RunningBody();
  RunningBody(const RunningBody&) = delete;
  RunningBody& operator=(const RunningBody&) = delete;

 private:
  ActivityLog* log_;
  std::int64_t begin_ns_;
};

}  // namespace charm::workloads
