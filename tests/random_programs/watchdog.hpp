// Ends a test that hangs, after the library has told of its tasks and workers.
#pragma once

#include <charm/charm.hpp>

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mutex>
#include <string>
#include <thread>

namespace random_programs {

class Watchdog {
 public:
  /// \param what printed where it bites: how to run the same again.
  explicit Watchdog(std::string what) : what_(std::move(what)), thread_([this] { main(); }) {}
  ~Watchdog() {
    {
      std::lock_guard lock(mutex_);
      over_ = true;
    }
    ending_.notify_all();
    thread_.join();
  }
  Watchdog(const Watchdog&) = delete;
  Watchdog& operator=(const Watchdog&) = delete;

  /// Something has been done; from any thread or task.
  void progress(std::uint64_t tasks = 1) noexcept { done_.fetch_add(tasks, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t done() const noexcept { return done_.load(std::memory_order_relaxed); }
  /// What is going on, for the report.
  void phase(std::string text) {
    std::lock_guard lock(mutex_);
    phase_ = std::move(text);
  }

 private:
  /// Seconds without any progress; a program takes milliseconds, but a machine may be busy with other things.
  static int patience() {
    const char* text = std::getenv("CHARM_RANDOM_PATIENCE");
    return text == nullptr ? 60 : std::atoi(text);
  }
  void main() {
    std::unique_lock lock(mutex_);
    std::uint64_t seen = 0;
    int idle = 0;
    while (!ending_.wait_for(lock, std::chrono::seconds(1), [this] { return over_; })) {
      const std::uint64_t now = done();
      idle = now == seen ? idle + 1 : 0;
      seen = now;
      if (idle >= patience()) bite();
    }
  }
  [[noreturn]] void bite() {
    std::fprintf(stderr, "hang: nothing has ended for %d s after %llu tasks, in %s; %s\n", patience(),
                 static_cast<unsigned long long>(done()), phase_.c_str(), what_.c_str());
    charm::dump_tasks();
    try {
      const charm::Stats stats = charm::stats();
      for (std::size_t w = 0; w < stats.workers.size(); ++w) {
        const charm::WorkerStats& one = stats.workers[w];
        std::fprintf(stderr, "worker %zu: %llu jobs, %llu steals, %llu parks, %llu wakes\n", w,
                     static_cast<unsigned long long>(one.jobs),
                     static_cast<unsigned long long>(one.steals_chiplet + one.steals_node + one.steals_far),
                     static_cast<unsigned long long>(one.parks), static_cast<unsigned long long>(one.wakes));
      }
      for (const std::string& notice : stats.notices) std::fprintf(stderr, "notice: %s\n", notice.c_str());
    } catch (const charm::Error& error) {
      std::fprintf(stderr, "no counts: %s\n", error.what());
    }
    std::abort();
  }

  std::string what_;
  std::mutex mutex_;
  std::condition_variable ending_;
  std::string phase_ = "the beginning";
  std::atomic<std::uint64_t> done_{0};
  bool over_ = false;
  std::thread thread_;
};

}  // namespace random_programs
