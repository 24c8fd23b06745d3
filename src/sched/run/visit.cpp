#include "sched/run/visit.hpp"

#include <charm/error.hpp>

#include "sched/run/runtime.hpp"

namespace charm::sched {

Visit::Visit(const std::atomic<Runtime*>& whom) noexcept : runtime_(runtime_of_this_thread()) {
  // Checked before it counts itself, so that threads which try again and again do not delay finalize().
  if (runtime_ != nullptr || whom.load(std::memory_order_relaxed) == nullptr) return;
  Runtime::visits.fetch_add(1, std::memory_order_seq_cst);
  runtime_ = whom.load(std::memory_order_seq_cst);
  if (runtime_ == nullptr)
    Runtime::visits.fetch_sub(1, std::memory_order_release);
  else
    counted_ = true;
}

Visit::Visit(std::nothrow_t /*unused*/) noexcept : Visit(Runtime::current) {}

Visit Visit::until_the_end() noexcept { return Visit(Runtime::existing); }

Visit::Visit() : Visit(std::nothrow) {
  // Code of the blocking pool may run a moment longer than the workers (B3 in sched/wait/blocking_pool.hpp).
  const bool too_late =
      runtime_ != nullptr && runtime_->over.load(std::memory_order_acquire) && this_worker() == nullptr;
  if (runtime_ == nullptr || (too_late && !counted_))
    throw Error(Errc::not_running, "the runtime is not running", "call charm::init() first");
}

Visit::~Visit() {
  if (counted_) Runtime::visits.fetch_sub(1, std::memory_order_release);
}

}  // namespace charm::sched
