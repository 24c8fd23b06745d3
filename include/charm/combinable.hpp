// A separate value for each worker: partial results of a loop, which are joined after the loop.
#pragma once

#include <charm/detail/worker.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

namespace charm {
namespace detail {

/// Its address tells one thread from all others that live.
inline thread_local char thread_mark;

}  // namespace detail

/// Gives each worker a T of its own, made when the worker first calls local(); combine() joins them. As oneTBB's
/// combinable. T must be movable, and copyable for combine(). Where every index of a loop contributes, parallel_reduce
/// is simpler; combinable is for partial results that are large (a histogram), or that several loops fill. Threads
/// outside of tasks have a T each, too.
///
/// The T that local() returns belongs to the worker and not to the task: call local() again after anything that may
/// suspend the task (docs/suspension.md), since the task may then be on another worker, and another task may use this
/// T.
template <class T>
class combinable {
 public:
  /// The values begin as T().
  combinable()
    requires std::is_default_constructible_v<T>
      : make_([] { return T(); }) {}
  /// The values begin as what `make` returns; it is called by several workers at once.
  template <class F>
    requires std::is_invocable_r_v<T, F&>
  explicit combinable(F make) : make_(std::move(make)) {}
  combinable(const combinable&) = delete;
  combinable& operator=(const combinable&) = delete;
  ~combinable() { clear(); }

  /// The value of the worker that runs the caller, or of the calling thread outside of tasks.
  T& local() {
    const detail::WorkerBase* worker = detail::this_worker();
    if (worker == nullptr) return outside();
    std::optional<T>& value = slot(static_cast<std::size_t>(worker->number)).value;
    if (!value) [[unlikely]]
      value.emplace(make_());
    return *value;
  }

  /// Calls `f(value)` for every value that was made: the workers' in order, then those of threads. Call it when no task
  /// calls local() any more: after the loop, or group.
  template <class F>
  void combine_each(F&& f) {
    for_each([&](std::optional<T>& value) { std::invoke(f, *value); });
  }
  /// Joins all values by `f(a, b)`, in the order of combine_each. \return the result; a new value if there is none.
  /// Call it when no task calls local() any more.
  template <class F>
  T combine(F&& f) {
    std::optional<T> sum;
    for_each([&](std::optional<T>& value) {
      if (sum)
        sum.emplace(std::invoke(f, std::move(*sum), std::as_const(*value)));
      else
        sum.emplace(std::as_const(*value));
    });
    return sum ? std::move(*sum) : T(make_());
  }
  /// Destroys all values; the next local() makes a new one. Call it when no task calls local() any more.
  void clear() noexcept {
    for (auto& block : blocks_) delete[] block.exchange(nullptr, std::memory_order_relaxed);
    outside_.clear();
  }

 private:
  struct alignas(64) Slot {
    std::optional<T> value;  // its worker's alone
  };
  struct Outside {
    const void* thread;
    std::unique_ptr<Slot> value;
  };
  // Block b holds the slots [16 (2^b - 1), 16 (2^(b+1) - 1)): so a worker's slot never moves, however many there are.
  static constexpr std::size_t first_block = 16;
  static constexpr std::size_t size_of(std::size_t block) noexcept { return first_block << block; }

  Slot& slot(std::size_t worker) {
    std::size_t block = 0;
    for (; worker >= size_of(block); ++block) worker -= size_of(block);
    Slot* slots = blocks_[block].load(std::memory_order_acquire);
    if (slots == nullptr) [[unlikely]]
      slots = make_block(block);
    return slots[worker];
  }
  [[gnu::noinline, gnu::cold]] Slot* make_block(std::size_t block) {
    std::unique_ptr<Slot[]> made(new Slot[size_of(block)]);
    Slot* seen = nullptr;
    if (blocks_[block].compare_exchange_strong(seen, made.get(), std::memory_order_acq_rel)) return made.release();
    return seen;
  }
  [[gnu::noinline, gnu::cold]] T& outside() {
    const void* const thread = &detail::thread_mark;
    std::lock_guard lock(mutex_);
    for (Outside& each : outside_) {
      if (each.thread == thread) return *each.value->value;
    }
    auto slot = std::make_unique<Slot>();
    slot->value.emplace(make_());
    outside_.push_back({thread, std::move(slot)});
    return *outside_.back().value->value;
  }
  template <class F>
  void for_each(F&& f) {
    for (std::size_t b = 0; b < blocks_.size(); ++b) {
      Slot* slots = blocks_[b].load(std::memory_order_acquire);
      for (std::size_t i = 0; slots != nullptr && i < size_of(b); ++i) {
        if (slots[i].value) f(slots[i].value);
      }
    }
    for (Outside& each : outside_) f(each.value->value);
  }

  std::function<T()> make_;
  std::array<std::atomic<Slot*>, 12> blocks_{};  // 65,520 workers
  std::mutex mutex_;
  std::vector<Outside> outside_;
};

}  // namespace charm
