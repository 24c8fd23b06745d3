// Ownership of cpus while a new placement replaces an old one (the number of workers changed, or a cgroup took
// cpus away). Within one placement no two workers use the same cpu; between two placements a worker's new cpu may still
// be in use by another. A worker therefore claims its new cpu, binds to it, and only then releases the old one.
//
// Invariant: owner[cpu] changes only free -> me and me -> free, by compare-exchange, so a cpu never has two owners, and
// what an owner did before release() is seen by the next (release, acquire). Lock-free; nobody waits: a worker whose
// cpu stays taken (two that swap wait for each other) releases its own after `patience` attempts and floats, which
// breaks every cycle. binding/thread_binder.hpp says where it floats.
#pragma once

#include <charm/machine.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <memory>

namespace charm::placement {

/// Owners of the cpus 0..cpus-1.
class CpuClaims {
 public:
  static constexpr int free_cpu = -1;

  explicit CpuClaims(int cpus)
      : cpus_(cpus), owner_(std::make_unique<std::atomic<int>[]>(static_cast<std::size_t>(cpus))) {
    for (int cpu = 0; cpu < cpus; ++cpu) slot(cpu).store(free_cpu, std::memory_order_relaxed);
  }

  /// Owners of all cpus of a machine, and of at least 1,024, since more may come online.
  explicit CpuClaims(const Machine& machine) : CpuClaims(bound(machine)) {}

  [[nodiscard]] int cpus() const { return cpus_; }
  [[nodiscard]] int owner(int cpu) const { return slot(cpu).load(std::memory_order_acquire); }

  /// Claims a cpu. \returns whether `worker` owns it now (also if it did before).
  bool claim(int cpu, int worker) {
    int expected = free_cpu;
    return slot(cpu).compare_exchange_strong(expected, worker, std::memory_order_acquire, std::memory_order_relaxed) ||
           expected == worker;
  }

  /// Frees a cpu. \returns whether `worker` was the owner; another worker's cpu stays.
  bool release(int cpu, int worker) {
    int expected = worker;
    return slot(cpu).compare_exchange_strong(expected, free_cpu, std::memory_order_release, std::memory_order_relaxed);
  }

 private:
  static int bound(const Machine& machine) {
    int most = 1024;
    for (const auto* cpus : {&machine.allowed_cpus, &machine.forbidden_cpus}) {
      if (!cpus->empty()) most = std::max(most, cpus->back() + 1);
    }
    return most;
  }
  [[nodiscard]] std::atomic<int>& slot(int cpu) const { return owner_[static_cast<std::size_t>(cpu)]; }

  int cpus_;
  std::unique_ptr<std::atomic<int>[]> owner_;
};

/// One worker's side of the protocol; used by that worker's thread alone.
class CoreClaim {
 public:
  enum class State { placed, waiting, floating };

  CoreClaim(CpuClaims& claims, int worker, int patience = 8) : claims_(&claims), worker_(worker), patience_(patience) {}
  ~CoreClaim() { leave(); }
  CoreClaim(const CoreClaim&) = delete;
  CoreClaim& operator=(const CoreClaim&) = delete;

  [[nodiscard]] int held() const { return held_; }  ///< the owned cpu, or CpuClaims::free_cpu

  /// One attempt to move to `cpu`; call it again at the next opportunity while the answer is not `placed`.
  template <class Bind, class Unbind>
  State place(int cpu, Bind&& bind, Unbind&& unbind) {
    if (cpu != target_) {
      target_ = cpu;
      failures_ = 0;
    }
    if (cpu == held_) return State::placed;
    if (claims_->claim(cpu, worker_)) {
      if (bind(cpu)) {
        leave();
        held_ = cpu;
        failures_ = 0;
        floating_ = false;
        return State::placed;
      }
      claims_->release(cpu, worker_);
    }
    if (floating_) return State::floating;
    if (++failures_ < patience_) return State::waiting;
    if (!unbind()) return State::waiting;
    floating_ = true;
    leave();
    return State::floating;
  }

  /// Releases the held cpu (the worker ends or is no longer bound).
  void leave() {
    if (held_ != CpuClaims::free_cpu) claims_->release(held_, worker_);
    held_ = CpuClaims::free_cpu;
  }

 private:
  CpuClaims* claims_;
  int worker_;
  int patience_;
  int held_ = CpuClaims::free_cpu;
  int target_ = CpuClaims::free_cpu;
  int failures_ = 0;
  bool floating_ = false;
};

}  // namespace charm::placement
