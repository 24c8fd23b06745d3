#include "workloads/activity.hpp"

#include <algorithm>
#include <chrono>
#include <cstddef>
#include <set>

namespace charm::workloads {
namespace {

std::int64_t now_ns() {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

/// Threads are numbered as they come: the system uses the ids of threads that have ended again.
int thread_number() {
  static std::atomic<int> next{0};
  thread_local const int number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

}  // namespace

ActivityLog::ActivityLog() { active.store(this); }
ActivityLog::~ActivityLog() { active.store(nullptr); }

void ActivityLog::add(std::int64_t begin_ns, std::int64_t end_ns) {
  const int thread = thread_number();
  const std::lock_guard lock(mutex_);
  bodies_.push_back({thread, begin_ns, end_ns});
}

ThreadConcurrency ActivityLog::concurrency(int bins) const {
  const std::lock_guard lock(mutex_);
  ThreadConcurrency found;
  if (bodies_.empty()) return found;
  std::int64_t first = bodies_.front().begin_ns;
  std::int64_t last = bodies_.front().end_ns;
  std::set<int> threads;
  for (const Body& body : bodies_) {
    first = std::min(first, body.begin_ns);
    last = std::max(last, body.end_ns);
    threads.insert(body.thread);
  }
  const double bin_ns = std::max(1.0, static_cast<double>(last - first)) / bins;
  found.threads = static_cast<int>(threads.size());
  found.bin_s = bin_ns / 1e9;
  found.running.assign(static_cast<std::size_t>(bins), 0);
  for (const Body& body : bodies_) {
    const double begin = static_cast<double>(body.begin_ns - first) / bin_ns;
    const double end = static_cast<double>(body.end_ns - first) / bin_ns;
    for (auto bin = static_cast<int>(begin); bin < bins && bin < end; ++bin)
      found.running[static_cast<std::size_t>(bin)] +=
          std::min(end, bin + 1.0) - std::max(begin, static_cast<double>(bin));
  }
  for (const double running : found.running) found.mean += running / bins;
  return found;
}

RunningBody::RunningBody() : log_(ActivityLog::current()), begin_ns_(log_ != nullptr ? now_ns() : 0) {}
RunningBody::~RunningBody() {
  if (log_ != nullptr) log_->add(begin_ns_, now_ns());
}

}  // namespace charm::workloads
