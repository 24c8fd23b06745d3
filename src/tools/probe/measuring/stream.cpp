#include "tools/probe/measuring/stream.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <memory>
#include <new>
#include <string>
#include <thread>

#include "os/memory/node_memory.hpp"
#include "os/processes/forked.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t page = 4096;
constexpr std::size_t block = std::size_t{1} << 17U;  // elements between two looks at the clock: 1 MiB of an array
constexpr double words_moved[4] = {1, 1, 2, 3};       // moved per element, by kernel

double read_kernel(const double* __restrict a, std::size_t n) {
  double sum[8] = {};  // more than one chain, or the additions' latency would be measured
  for (std::size_t i = 0; i + 8 <= n; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sum[k] += a[i + k];
  }
  return sum[0] + sum[1] + sum[2] + sum[3] + sum[4] + sum[5] + sum[6] + sum[7];
}

void write_kernel(double* __restrict a, double value, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = value;
}

void copy_kernel(double* __restrict a, const double* __restrict b, std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i];
}

void triad_kernel(double* __restrict a, const double* __restrict b, const double* __restrict c, double scale,
                  std::size_t n) {
  for (std::size_t i = 0; i < n; ++i) a[i] = b[i] + scale * c[i];
}

/// What the processes see of each other.
struct SharedResults {
  std::atomic<int> arrived{0};  ///< threads of all processes, at all kernels so far
  std::atomic<int> failed{0};
  std::atomic<int> over{0};  ///< time is up for one of them, and so for all
  struct alignas(64) Times {
    double begin, end;  ///< both 0: that trial was not whole
  };
};

/// Where the threads of all processes begin together. A process alone wakes its threads within a scheduler's slice, in
/// which they pass over arrays in a cache many times: processes that met instead of their threads would not be measured
/// side by side.
class Meeting {
 public:
  /// \param threads of all processes.
  Meeting(SharedResults& results, int threads, const Deadline& until)
      : results_(results), threads_(threads), until_(until) {}

  /// Called by each thread before each kernel. Returns early where they need not go on.
  void attend(int kernels_before) const {
    results_.arrived.fetch_add(1);
    for (int spins = 0; results_.arrived.load() < threads_ * (kernels_before + 1); ++spins) {
      if (results_.failed.load() != 0 || results_.over.load() != 0) return;
      if (spins <= 1000) continue;
      if (until_.passed()) results_.over.store(1);  // somebody may have ended without a word
      std::this_thread::yield();
    }
  }

 private:
  SharedResults& results_;
  int threads_;
  Deadline until_;
};

/// The arrays and threads of one process. Plain pages, as the arrays of a STREAM program have.
class Process {
 public:
  /// \param meeting with the threads of other processes; null: there are none.
  Process(const std::vector<int>& cpus, std::size_t bytes, const Deadline& until, const Meeting* meeting)
      : until_(until),
        n_(std::max<std::size_t>(bytes / 3 / sizeof(double), 8 * cpus.size())),
        stride_((n_ * sizeof(double) / page + 1) * page + page / 4),
        memory_(3 * stride_),
        thread_count_(cpus.size()),
        threads_(
            cpus, [this](int rank) { part(static_cast<std::size_t>(rank)); },
            [this, meeting](int) {
              if (meeting != nullptr && kernel_ >= 0) meeting->attend(kernels_);
            }) {
    threads_.round();  // first touch, by the threads that will use the pages
  }

  /// False where time was up before all of it was done.
  bool run(int kernel) {
    kernel_ = kernel;
    threads_.round();
    ++kernels_;
    return !cut_.load();
  }
  [[nodiscard]] const PinnedThreads& threads() const { return threads_; }
  [[nodiscard]] std::size_t elements() const { return n_; }

 private:
  void part(std::size_t rank) {
    const std::size_t end = n_ * (rank + 1) / thread_count_;
    for (std::size_t from = n_ * rank / thread_count_; from < end; from += block) {
      if (until_.passed()) return cut_.store(true);
      piece(from, std::min(block, end - from));
    }
  }

  void piece(std::size_t from, std::size_t count) {
    double* a = array(0) + from;
    double* b = array(1) + from;
    double* c = array(2) + from;
    switch (kernel_) {
      case 0:
        sink_.store(read_kernel(b, count), std::memory_order_relaxed);
        break;
      case 1:
        write_kernel(c, 0.5, count);
        break;
      case 2:
        copy_kernel(c, a, count);
        break;
      case 3:
        triad_kernel(a, b, c, 3.0, count);
        break;
      default:
        write_kernel(a, 1, count);
        write_kernel(b, 2, count);
        write_kernel(c, 0, count);
    }
  }

  [[nodiscard]] double* array(std::size_t k) const {
    return reinterpret_cast<double*>(static_cast<char*>(memory_.data()) + k * stride_);
  }

  Deadline until_;
  std::size_t n_;
  // Arrays that lie whole pages apart alias: cores then take a load for one of a store that is still on its way.
  std::size_t stride_;
  os::NodeMemory memory_;
  std::size_t thread_count_;
  int kernel_ = -1;
  int kernels_ = 0;  // run so far
  std::atomic<double> sink_{0};
  std::atomic<bool> cut_{false};
  PinnedThreads threads_;
};

/// All trials of one process; times go to `times` by kernel, trial, process.
void take_part(Process& process, SharedResults& results, SharedResults::Times* times, int processes, int rank,
               int trials) {
  for (int kernel = 0; kernel < 4; ++kernel) {
    for (int trial = 0; trial < trials; ++trial) {
      if (!process.run(kernel)) return results.over.store(1);
      if (results.failed.load() != 0 || results.over.load() != 0) return;
      times[(kernel * trials + trial) * processes + rank] = {process.threads().begin_ns(), process.threads().end_ns()};
    }
  }
}

}  // namespace

StreamResult stream(const std::vector<std::vector<int>>& processes, std::size_t bytes, int trials,
                    const Deadline& until) {
  const int count = static_cast<int>(processes.size());
  const std::size_t slots = std::size_t{4} * static_cast<std::size_t>(trials) * static_cast<std::size_t>(count);
  const os::SharedMapping shared(sizeof(SharedResults) + 64 + slots * sizeof(SharedResults::Times));
  auto* results = ::new (shared.data()) SharedResults;
  auto* times = reinterpret_cast<SharedResults::Times*>(static_cast<char*>(shared.data()) +
                                                        (sizeof(SharedResults) + 63) / 64 * 64);
  const std::size_t share = bytes / processes.size();
  std::size_t elements = 0;
  StreamResult result;
  for (const auto& cpus : processes) result.threads += static_cast<int>(cpus.size());
  const Meeting threads(*results, result.threads, until);
  const Meeting* const meeting = count > 1 ? &threads : nullptr;

  std::vector<int> children;
  for (int rank = 1; rank < count; ++rank) {
    const auto child = os::fork_child([&] {
      try {
        Process process(processes[static_cast<std::size_t>(rank)], share, until, meeting);
        take_part(process, *results, times, count, rank, trials);
      } catch (...) {
        results->failed.store(1);
      }
    });
    if (!child) {
      results->failed.store(1);
      break;
    }
    children.push_back(*child);
  }
  try {
    if (results->failed.load() == 0) {
      Process process(processes[0], share, until, meeting);
      elements = process.elements();
      take_part(process, *results, times, count, 0, trials);
    }
  } catch (...) {
    results->failed.store(1);
    for (const int child : children) os::wait_for_child(child);
    throw;
  }
  for (const int child : children) os::wait_for_child(child);
  if (results->failed.load() != 0) {
    throw Error(Errc::system, "cannot run " + std::to_string(count) + " processes: " + std::strerror(errno),
                "raise the limits on processes and memory, or measure less");
  }

  for (int kernel = 0; kernel < 4; ++kernel) {
    std::vector<double> rates;
    for (int trial = trials > 1 ? 1 : 0; trial < trials; ++trial) {  // the first one warms up, as in STREAM
      const SharedResults::Times* all = times + static_cast<std::ptrdiff_t>(kernel * trials + trial) * count;
      double begin = all[0].begin;
      double end = all[0].end;
      bool whole = end > 0;
      for (int p = 1; p < count; ++p) {
        begin = std::min(begin, all[p].begin), end = std::max(end, all[p].end);
        whole = whole && all[p].end > 0;
      }
      if (!whole) continue;
      rates.push_back(words_moved[kernel] * sizeof(double) * static_cast<double>(elements) * count /
                      std::max(1.0, end - begin));
    }
    if (rates.empty()) continue;
    result.gb_per_s[static_cast<std::size_t>(kernel)] = summarise(rates);
    result.best_gb_per_s[static_cast<std::size_t>(kernel)] = *std::max_element(rates.begin(), rates.end());
  }
  return result;
}

}  // namespace charm::probe
