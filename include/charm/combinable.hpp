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
/// combinable. T must be copyable for combine(). Where every index of a loop contributes, parallel_reduce is simpler;
/// combinable is for partial results that are large (a histogram), or that several loops fill. Threads outside of tasks
/// have a T each, too.
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
  /// The values begin as what `make` returns; it is called by several workers at once. It may fork and wait. If another
  /// task makes a value for the same worker meanwhile, both values are kept, and combined.
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
    Held* const value = place(static_cast<std::size_t>(worker->number));
    return value != nullptr ? value->value : make_here();
  }

  /// Calls `f(value)` for every value that was made: the workers' in order, then those of threads. Call it when no task
  /// calls local() any more: after the loop, or group.
  template <class F>
  void combine_each(F&& f) {
    for_each([&](T& value) { std::invoke(f, value); });
  }
  /// Joins all values by `f(a, b)`, in the order of combine_each. \return the result; a new value if there is none.
  /// Call it when no task calls local() any more.
  template <class F>
  T combine(F&& f) {
    std::optional<T> sum;
    for_each([&](T& value) {
      if (sum)
        sum.emplace(std::invoke(f, std::move(*sum), std::as_const(value)));
      else
        sum.emplace(std::as_const(value));
    });
    return sum ? std::move(*sum) : T(make_());
  }
  /// Destroys all values; the next local() makes a new one. Call it when no task calls local() any more.
  void clear() noexcept {
    for (auto& block : blocks_) {
      const std::unique_ptr<Place[]> places(block.exchange(nullptr, std::memory_order_relaxed));
      for (std::size_t i = 0; places != nullptr && i < size_of(static_cast<std::size_t>(&block - blocks_.data())); ++i)
        destroy(places[i]);
    }
    for (const Outside& each : outside_) destroy(each.values);
    outside_.clear();
  }

 private:
  // A value lives on its own: `make_` is the program's code, which may suspend the task. So the value is made first,
  // and then linked to the place that is the caller's at that time, in a step that calls nothing.
  struct alignas(alignof(T) < 64 ? 64 : alignof(T)) Held {
    T value;
    Held* next = nullptr;  // another value of the same worker or thread
  };
  using Place = Held*;  // its worker's alone; the first value is the one that local() returns
  struct Outside {
    const void* thread;
    Place values;
  };
  // Block b has the places [16 (2^b - 1), 16 (2^(b+1) - 1)): so a worker's place never moves, however many there are.
  static constexpr std::size_t first_block = 16;
  static constexpr std::size_t block_count = 13;
  static constexpr std::size_t size_of(std::size_t block) noexcept { return first_block << block; }
  static_assert(first_block * ((std::size_t{1} << block_count) - 1) >= detail::worker_numbers);

  [[nodiscard]] std::unique_ptr<Held> make_value() { return std::unique_ptr<Held>(new Held{make_()}); }
  static T& add(Place& to, std::unique_ptr<Held> made) noexcept {
    Place* end = &to;
    while (*end != nullptr) end = &(*end)->next;
    *end = made.release();
    return to->value;
  }
  static void destroy(Place values) noexcept {
    while (values != nullptr) delete std::exchange(values, values->next);
  }

  [[gnu::noinline, gnu::cold]] T& make_here() {
    std::unique_ptr<Held> made = make_value();
    return add(place(static_cast<std::size_t>(detail::this_worker()->number)), std::move(made));
  }
  Place& place(std::size_t worker) {
    std::size_t block = 0;
    for (; worker >= size_of(block); ++block) worker -= size_of(block);
    Place* places = blocks_[block].load(std::memory_order_acquire);
    if (places == nullptr) [[unlikely]]
      places = make_block(block);
    return places[worker];
  }
  [[gnu::noinline, gnu::cold]] Place* make_block(std::size_t block) {
    std::unique_ptr<Place[]> made(new Place[size_of(block)]());
    Place* seen = nullptr;
    if (blocks_[block].compare_exchange_strong(seen, made.get(), std::memory_order_acq_rel)) return made.release();
    return seen;
  }
  [[nodiscard]] Outside* outside_here() noexcept {
    for (Outside& each : outside_) {
      if (each.thread == &detail::thread_mark) return &each;
    }
    return nullptr;
  }
  [[gnu::noinline, gnu::cold]] T& outside() {
    {
      const std::lock_guard lock(mutex_);
      if (const Outside* here = outside_here()) return here->values->value;
    }
    std::unique_ptr<Held> made = make_value();
    const std::lock_guard lock(mutex_);
    Outside* here = outside_here();
    if (here == nullptr) here = &outside_.emplace_back(Outside{&detail::thread_mark, nullptr});
    return add(here->values, std::move(made));
  }
  template <class F>
  void for_each(F&& f) {
    for (std::size_t b = 0; b < block_count; ++b) {
      Place* places = blocks_[b].load(std::memory_order_acquire);
      for (std::size_t i = 0; places != nullptr && i < size_of(b); ++i) {
        for (Held* each = places[i]; each != nullptr; each = each->next) f(each->value);
      }
    }
    for (Outside& each : outside_) {
      for (Held* value = each.values; value != nullptr; value = value->next) f(value->value);
    }
  }

  std::function<T()> make_;
  std::array<std::atomic<Place*>, block_count> blocks_{};
  std::mutex mutex_;
  std::vector<Outside> outside_;
};

}  // namespace charm
