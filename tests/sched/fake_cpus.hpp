// A kernel's side of affinity for tests: masks of threads, a cpuset that can be changed, and a check that no two
// threads are bound to one cpu at a time. Any number of cpus, whatever the machine has.
#pragma once

#include <algorithm>
#include <compare>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <vector>

#include "os/threads/cpu_watch.hpp"

namespace charm::test {

class FakeKernel {
 public:
  explicit FakeKernel(int cpus) {
    for (int cpu = 0; cpu < cpus; ++cpu) cpuset_.insert(cpu);
    wide_ = cpuset_;
  }

  /// As a cgroup does: masks that have nothing left fall back to the whole set.
  void set_cpuset(CpuSet cpus) {
    std::lock_guard lock(mutex_);
    cpuset_ = std::move(cpus);
  }
  /// As taskset -a does.
  void set_all_masks(const CpuSet& cpus) {
    std::lock_guard lock(mutex_);
    for (auto& [thread, mask] : masks_) mask = cpus;
    wide_ = cpus;
  }

  CpuSet cpuset() {
    std::lock_guard lock(mutex_);
    return cpuset_;
  }
  CpuSet mask_of(std::thread::id thread) {
    std::lock_guard lock(mutex_);
    return effective({thread});
  }
  /// Of a thread that watch_of() plays.
  CpuSet mask_of(int played) {
    std::lock_guard lock(mutex_);
    return effective({{}, played});
  }
  /// Cpus that threads are bound to alone, each as often as there are such threads.
  std::vector<int> taken() {
    std::lock_guard lock(mutex_);
    std::vector<int> cpus;
    for (const auto& [thread, mask] : masks_) {
      if (auto now = effective(thread); now.size() == 1) cpus.push_back(now.front());
    }
    std::sort(cpus.begin(), cpus.end());
    return cpus;
  }
  int collisions() {
    std::lock_guard lock(mutex_);
    return collisions_;
  }
  int binds() {
    std::lock_guard lock(mutex_);
    int sum = 0;
    for (const auto& [thread, binds] : binds_) sum += binds;
    return sum;
  }
  int binds_of(std::thread::id thread) {
    std::lock_guard lock(mutex_);
    return binds_[{thread}];
  }
  std::unique_ptr<os::CpuWatch> watch() { return std::make_unique<Watch>(*this, 0); }
  /// As another thread sees it: one thread of a test can play many. \param played its number, above 0.
  std::unique_ptr<os::CpuWatch> watch_of(int played) { return std::make_unique<Watch>(*this, played); }

 private:
  struct Thread {
    std::thread::id id;
    int played = 0;  // 0: the thread `id` itself
    friend auto operator<=>(const Thread&, const Thread&) = default;
  };
  class Watch final : public os::CpuWatch {
   public:
    Watch(FakeKernel& kernel, int played) : kernel_(kernel), played_(played) {}
    std::optional<CpuSet> granted() override { return kernel_.cpuset(); }
    CpuSet mask() override {
      return played_ > 0 ? kernel_.mask_of(played_) : kernel_.mask_of(std::this_thread::get_id());
    }
    bool bind(const CpuSet& cpus) override {
      return kernel_.bind(played_ > 0 ? Thread{{}, played_} : Thread{std::this_thread::get_id()}, cpus);
    }

   private:
    FakeKernel& kernel_;
    int played_;
  };

  CpuSet effective(const Thread& thread) const {
    auto it = masks_.find(thread);
    const CpuSet& mask = it == masks_.end() ? wide_ : it->second;
    CpuSet left = mask & cpuset_;
    return left.empty() ? cpuset_ : left;
  }

  bool bind(const Thread& self, const CpuSet& cpus) {
    std::lock_guard lock(mutex_);
    if (!cpus.intersects(cpuset_)) return false;
    masks_[self] = cpus;
    ++binds_[self];
    if (cpus.size() == 1) {
      for (const auto& [thread, mask] : masks_) {
        if (thread != self && mask == cpus) ++collisions_;
      }
    }
    return true;
  }

  std::mutex mutex_;
  CpuSet cpuset_, wide_;
  std::map<Thread, CpuSet> masks_;
  int collisions_ = 0;
  std::map<Thread, int> binds_;
};

}  // namespace charm::test
