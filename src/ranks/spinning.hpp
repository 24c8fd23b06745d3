// A worker's short wait for a message: it looks for messages itself, as long as it has nothing else to do.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "sched/run/oversubscription.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/worker.hpp"

namespace charm::remote {

class Spinning {
 public:
  /// Where the worker shares its core it spins about as long as a call takes: to suspend the task and to take it up
  /// again would cost as much.
  static constexpr std::int64_t shared_core_ns = 3000;

  /// \param worker the caller's; null: it does not wait. \param ns how long at most.
  Spinning(const sched::Worker* worker, std::int64_t ns) noexcept
      : worker_(worker), ns_(sched::oversubscribed() ? shared_core_ns : ns) {}

  /// \param steals whether tasks of other workers end the wait, too. \return false when it is over.
  [[nodiscard]] bool goes_on(bool steals) noexcept {
    if (worker_ == nullptr) return false;
    const sched::Runtime& runtime = *worker_->runtime;
    if (worker_->inbox.arrived() || !worker_->ready.empty() || !worker_->deque.empty() ||
        !runtime.places.inbox.empty() || (steals && runtime.places.flags.any(stealing::Flag::work)))
      return false;
    if (++looks_ % 16 != 0) return true;  // most messages come before the first question for the time
    const std::int64_t now = base::monotonic_ns();
    if (until_ == 0) until_ = now + ns_;
    return now <= until_;
  }
  /// One of some looks that follow each other at once.
  [[nodiscard]] bool is_thorough(unsigned each) const noexcept { return looks_ % each == 0; }

 private:
  const sched::Worker* const worker_;
  const std::int64_t ns_;
  std::int64_t until_ = 0;
  unsigned looks_ = 0;
};

}  // namespace charm::remote
