// CHARM as a scheduler in the sense of std::execution (P2300). It needs a library of senders: a standard library that
// has one, or stdexec in the include path. If there is neither, the header is empty and CHARM_HAS_EXECUTION is 0;
// otherwise that is 1. charm.hpp does not include this header.
//
// As with coroutines, the job is part of the operation state, so scheduling allocates nothing.
#pragma once

#include <charm/detail/requirements.hpp>

#include <version>

#if __has_include(<stdexec/execution.hpp>)
#include <stdexec/execution.hpp>
/// 1 if there is a library of senders, and so the rest of this header; else 0.
#define CHARM_HAS_EXECUTION 1
/// \cond
namespace charm::detail {
namespace senders = ::stdexec;
}
/// \endcond
#elif defined(__cpp_lib_senders)
#include <execution>
#define CHARM_HAS_EXECUTION 1
namespace charm::detail {
namespace senders = ::std::execution;
}
#else
/// There is no library of senders, and this header is empty.
#define CHARM_HAS_EXECUTION 0
#endif

#if CHARM_HAS_EXECUTION

#include <charm/call.hpp>
#include <charm/detail/scheduler.hpp>

#include <exception>
#include <optional>
#include <type_traits>
#include <utility>

namespace charm::execution {

/// Schedules work on the runtime: on any worker, or at a chosen place. A small value type.
class scheduler {
  class Environment;

  template <class Receiver>
  class Operation : detail::ListedJob {
   public:
    using operation_state_concept = detail::senders::operation_state_t;
    Operation(std::optional<detail::Target> target, Receiver receiver)
        : ListedJob(&Operation::run_it), target_(target), receiver_(std::move(receiver)) {}
    Operation(const Operation&) = delete;
    Operation& operator=(const Operation&) = delete;

    void start() noexcept {
      try {
        if (target_)
          detail::post(*target_, *this);
        else
          detail::submit(*this);
      } catch (...) {
        detail::senders::set_error(std::move(receiver_), std::current_exception());
      }
    }

   private:
    static void run_it(detail::Job* job) noexcept {
      auto* self = static_cast<Operation*>(job);
      // Completing may destroy the operation.
      if (detail::senders::get_stop_token(detail::senders::get_env(self->receiver_)).stop_requested())
        detail::senders::set_stopped(std::move(self->receiver_));
      else
        detail::senders::set_value(std::move(self->receiver_));
    }
    std::optional<detail::Target> target_;
    Receiver receiver_;
  };

 public:
  using scheduler_concept = detail::senders::scheduler_t;

  /// Any worker.
  scheduler() noexcept = default;
  /// A certain worker, or any of a chiplet or of a NUMA node.
  explicit scheduler(on_worker where) noexcept : target_(detail::target(where)) {}
  explicit scheduler(on_chiplet where) noexcept : target_(detail::target(where)) {}
  explicit scheduler(on_node where) noexcept : target_(detail::target(where)) {}

  /// What schedule() returns.
  class sender {
   public:
    using sender_concept = detail::senders::sender_t;
    using completion_signatures =
        detail::senders::completion_signatures<detail::senders::set_value_t(),
                                               detail::senders::set_error_t(std::exception_ptr),
                                               detail::senders::set_stopped_t()>;

    template <class Receiver>
    auto connect(Receiver receiver) const -> Operation<Receiver> {
      return {target_, std::move(receiver)};
    }
    [[nodiscard]] Environment get_env() const noexcept;

   private:
    friend scheduler;
    explicit sender(std::optional<detail::Target> target) noexcept : target_(target) {}
    std::optional<detail::Target> target_;
  };

  [[nodiscard]] sender schedule() const noexcept { return sender(target_); }

  /// Tasks run beside each other as far as there are workers; one that waits gives its worker to others.
  [[nodiscard]] auto query(detail::senders::get_forward_progress_guarantee_t) const noexcept {
    return detail::senders::forward_progress_guarantee::parallel;
  }

  friend bool operator==(const scheduler& a, const scheduler& b) noexcept {
    if (!a.target_ || !b.target_) return !a.target_ && !b.target_;
    return a.target_->kind == b.target_->kind && a.target_->id == b.target_->id;
  }

 private:
  explicit scheduler(std::optional<detail::Target> target) noexcept : target_(target) {}
  std::optional<detail::Target> target_;
};

/// The environment of the sender: says on which scheduler it completes.
class scheduler::Environment {
 public:
  explicit Environment(std::optional<detail::Target> target) noexcept : target_(target) {}
  template <class... Outer>
  [[nodiscard]] scheduler query(detail::senders::get_completion_scheduler_t<detail::senders::set_value_t>,
                                const Outer&...) const noexcept {
    return scheduler(target_);
  }

 private:
  std::optional<detail::Target> target_;
};

inline scheduler::Environment scheduler::sender::get_env() const noexcept { return Environment(target_); }

}  // namespace charm::execution

#endif
