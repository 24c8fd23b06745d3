// Binds one thread, step by step, to the core that a placement gives it. Both a worker that binds itself
// (sched/control) and `charm run`, which binds the threads of other programs (attach), use it.
//
// Within a placement no two threads share a core; while threads change from one placement to the next, a thread's new
// core may still be another's old one. So a thread claims the cpu of its new core, binds to it, and only then releases
// the old one (placement/claim.hpp). Nobody waits: place() is one attempt, and is called again at the next opportunity.
//
// - Bound within the claim: two threads that are placed on cores of their own are never bound to the same cpu: each
//   holds the claim on its cpu from before it is bound there until it is bound elsewhere.
// - A bind that the kernel refuses changes nothing: the thread keeps its mask and the claim on its old cpu.
// - Give up, then float: a thread whose new cpu stays taken gives up its own after `patience` attempts, since two
//   threads that exchange cores would wait for each other for ever. Until it gets the new cpu it floats: it may run on
//   the other cpus of the new core's chiplet, or on all allowed cpus where fewer than two others are allowed on that
//   chiplet.
//
// Why two others: a mask of one cpu is not floating but bound, to a cpu that the thread has no claim on. The thread
// that has claimed this cpu, or claims it next, would share it, which is excluded; on a chiplet of two cores that is
// the usual case. With two cpus or more the kernel's load balancer moves the thread away from a thread that is bound
// there.
#pragma once

#include <charm/id_set.hpp>

#include <functional>

#include "placement/claim.hpp"

namespace charm::binding {

class ThreadBinder {
 public:
  using State = placement::CoreClaim::State;
  /// The system call: binds the thread to these cpus. \returns false where the kernel refuses.
  using BindCall = std::function<bool(const CpuSet& cpus)>;

  /// The core to bind the thread to, and its masks (binding/masks.hpp).
  struct Target {
    int cpu = -1;            // the cpu of the core; it is claimed unless it is shared
    bool shared = false;     // threads take turns on the cpu, so nobody claims it
    const CpuSet& mask;      // the thread's mask while it has the cpu
    const CpuSet& floating;  // its mask while it waits for the cpu and has released its own
  };

  /// \param thread number of the thread; no two threads that share `claims` have the same.
  /// \param patience number of attempts after which the thread floats: fewer if one caller moves all threads, since no
  /// other thread moves by itself between two attempts.
  ThreadBinder(placement::CpuClaims& claims, int thread, int patience = 8)
      : claims_(&claims), claim_(claims, thread, patience) {}

  /// One attempt to bring the thread to its core.
  State place(const Target& target, const BindCall& bind);
  /// Takes the thread's core away: binds it to `mask`, then releases its cpu. \returns false where the kernel refuses.
  bool unplace(const CpuSet& mask, const BindCall& bind);
  /// Releases the cpu of a thread that has ended, or whose mask was set from outside.
  void forget();

  /// Whether it has been placed on this cpu; where `shared` is false, with the claim on it.
  [[nodiscard]] bool is_on(int cpu, bool shared) const;
  /// The cpu that it has claimed, or placement::CpuClaims::free_cpu.
  [[nodiscard]] int claimed() const { return claim_.held(); }

 private:
  /// Cpus beyond those that were counted at the start came online later; nobody can claim them.
  [[nodiscard]] bool claimable(int cpu, bool shared) const { return !shared && cpu < claims_->cpus(); }

  placement::CpuClaims* claims_;
  placement::CoreClaim claim_;
  int shared_cpu_ = placement::CpuClaims::free_cpu;  // the shared cpu that it is on, without a claim
  CpuSet floats_on_;                                 // the mask with which it floats; empty: it does not float
};

}  // namespace charm::binding
