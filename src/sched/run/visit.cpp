#include "sched/run/visit.hpp"

#include <charm/error.hpp>

#include "sched/run/runtime.hpp"

namespace charm::sched {

Visit::Visit(Gate::Purpose purpose) noexcept : runtime_(runtime_of_this_thread()) {
  if (runtime_ != nullptr) return;
  runtime_ = Runtime::gate.enter(purpose);
  counted_ = runtime_ != nullptr;
}

Visit::Visit(std::nothrow_t /*unused*/) noexcept : Visit(Gate::Purpose::use) {}

Visit Visit::until_the_end() noexcept { return Visit(Gate::Purpose::report); }

Visit::Visit() : Visit(std::nothrow) {
  // Code of the blocking pool may run a moment longer than the workers (rung at the end, sched/wait/blocking_pool.hpp).
  const bool too_late = runtime_ != nullptr && runtime_->ending.is_over() && this_worker() == nullptr;
  if (runtime_ == nullptr || (too_late && !counted_))
    throw Error(Errc::not_running, "the runtime is not running", "call charm::init() first");
}

Visit::~Visit() {
  if (counted_) Runtime::gate.leave();
}

}  // namespace charm::sched
