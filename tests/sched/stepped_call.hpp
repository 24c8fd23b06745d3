// A call whose thread stops between two instructions, wherever the test wants it to, while other threads go on: it runs
// with the processor's trap flag, and after each instruction a signal handler asks the test. So a test can hold a
// thread for as long as it takes in a place where it stays for some nanoseconds, without a mark in the code.
//
// For x86-64, and not under ThreadSanitizer, whose own code may be what is interrupted.
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <sched.h>
#include <ucontext.h>

#include "fiber/sanitizers.hpp"

#if defined(__x86_64__) && !defined(CHARM_TSAN)
#define CHARM_STEPPED_CALLS 1
#endif

namespace charm::test {

#if defined(CHARM_STEPPED_CALLS)

/// Calls `call` step by step. Once `reached()` is true the thread waits until `go_on()` is true, `most` at the longest,
/// and then runs on undisturbed. Both are asked in a signal handler. One call at a time in the process.
/// \param each the thread waits so long after each step, where others are to see what it has done.
template <class Call, class Reached, class GoOn>
void stepped_call(Call&& call, Reached&& reached, GoOn&& go_on, std::chrono::milliseconds most,
                  std::chrono::microseconds each = {}) {
  using Clock = std::chrono::steady_clock;
  struct Step {
    Reached& reached;
    GoOn& go_on;
    std::chrono::milliseconds most;
    std::chrono::microseconds each;
  };
  static Step* step = nullptr;
  Step this_one{reached, go_on, most, each};
  step = &this_one;
  struct sigaction action{};
  struct sigaction before{};
  action.sa_flags = SA_SIGINFO;
  action.sa_sigaction = [](int, siginfo_t*, void* context) {
    bool here = step->reached();
    if (!here && step->each.count() > 0) {
      for (const auto end = Clock::now() + step->each; !here && Clock::now() < end;) here = step->reached();
    }
    if (!here) return;
    for (const auto end = Clock::now() + step->most; !step->go_on() && Clock::now() < end;) sched_yield();
    static_cast<ucontext_t*>(context)->uc_mcontext.gregs[REG_EFL] &= ~0x100LL;
  };
  sigaction(SIGTRAP, &action, &before);
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"  // the red zone
      "pushfq\n\t"
      "orq $0x100, (%%rsp)\n\t"
      "popfq\n\t"
      "leaq 128(%%rsp), %%rsp" ::
          : "memory", "cc");
  call();
  asm volatile(
      "leaq -128(%%rsp), %%rsp\n\t"
      "pushfq\n\t"
      "andq $~0x100, (%%rsp)\n\t"
      "popfq\n\t"
      "leaq 128(%%rsp), %%rsp" ::
          : "memory", "cc");
  sigaction(SIGTRAP, &before, nullptr);
}

#endif

}  // namespace charm::test
