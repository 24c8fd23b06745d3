// The real System: finds threads by the kernel's process events if they may be read, else by searching /proc.
//
// - A thread that lives for 50 ms is found if news() is called every 20 ms: it returns true whenever anything was
//   created anywhere since the last time, by the kernel's events or by its number of the latest process. The events
//   also name the threads that have ended since.
// - While nothing is created a call costs one small read.
// - /proc is searched for children once, and again whenever the kernel may have announced less than there was.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "counters/other_threads.hpp"
#include "os/processes/processes.hpp"
#include "tools/attach/progress.hpp"
#include "tools/attach/system.hpp"
#include "tools/os/process_events.hpp"

namespace charm::attach {

class LiveSystem final : public System {
 public:
  /// \param children whether processes that the program starts are followed. \param counters may be null.
  LiveSystem(int pid, bool children, const counters::OtherThreads* counters, bool announcements = true);

  bool news() override;
  [[nodiscard]] int announces() const override { return announced_ ? events_->descriptor() : -1; }
  std::vector<Found> threads() override;
  std::vector<ThreadId> ended_unseen() override { return std::exchange(ended_unseen_, {}); }
  std::optional<os::ThreadTime> time(const ThreadId& id) override;
  bool runnable(const ThreadId& id) override;
  std::string name(const ThreadId& id) override;
  CpuSet mask(const ThreadId& id) override;
  int bind(const ThreadId& id, const CpuSet& cpus) override;
  /// Sets a function that is called once, before the first mask is set.
  void before_binding(std::function<void()> prepare) { before_binding_ = std::move(prepare); }
  double used() override;
  double resident_bytes() override;
  std::optional<WorkReport> progress(double now) override {
    return progress_ == nullptr ? std::nullopt : progress_->latest(now);
  }
  /// Names what tells of the work that the program does; it lives longer.
  void ask_of_progress(ProgressSource& source) { progress_ = &source; }
  std::map<int, os::CpuTime> cpu_times() override { return os::cpu_times(); }
  bool gathers() override;
  std::unique_ptr<counters::ThreadCounters> counters(const ThreadId& id) override;

  /// Processes whose threads are placed.
  [[nodiscard]] std::vector<int> followed() const;
  /// How threads are found, in words for the summary.
  [[nodiscard]] std::string method() const;

 private:
  static constexpr int most_silent_looks = 8;

  struct Process {
    bool followed = true;
    int parent = 0;
  };

  void add_children();

  std::optional<bool> gathers_;  // nothing: nobody has asked yet
  os::Processes processes_;
  bool children_;
  const counters::OtherThreads* counters_;
  std::unique_ptr<os::ProcessEvents> events_;
  bool announced_ = false;      // the kernel has begun to announce
  bool searched_ = false;       // all descendants have been searched for since then, and no announcement was lost
  bool announced_all_ = false;  // the latest announcements named all new threads
  int last_created_ = -1;
  int silent_looks_ = 0;          // consecutive checks in which something had been created and not announced
  std::map<int, Process> known_;  // the program and all that descend from it
  std::vector<os::Birth> births_;
  std::vector<ThreadId> announced_threads_;  // of followed processes, since the latest search
  std::vector<ThreadId> ended_unseen_;
  std::map<ThreadId, os::ThreadClock> clocks_;
  const std::size_t most_clocks_;  // most open files; reading the times of further threads costs more
  std::function<void()> before_binding_;
  ProgressSource* progress_ = nullptr;
};

}  // namespace charm::attach
