// An object for each chiplet, in its memory: what the cores around one cache share, and no other core touches often.
#pragma once

#include <charm/call.hpp>
#include <charm/memory_resource.hpp>
#include <charm/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <functional>
#include <memory>
#include <memory_resource>
#include <new>
#include <type_traits>
#include <utility>
#include <vector>

namespace charm {

/// The chiplets that have workers at this moment, in ascending order: indices in Machine::chiplets, destinations for
/// call(on_chiplet{...}). The controller may give workers other chiplets at any time. Empty where the policy does not
/// bind workers (os). \throws Error (not_running).
[[nodiscard]] inline std::vector<int> chiplets_with_workers() {
  std::vector<int> chiplets;
  for (const WorkerCore& core : worker_cores()) {
    if (core.chiplet >= 0) chiplets.push_back(core.chiplet);
  }
  std::sort(chiplets.begin(), chiplets.end());
  chiplets.erase(std::unique(chiplets.begin(), chiplets.end()), chiplets.end());
  return chiplets;
}

namespace detail {
/// Index of the chiplet that the calling thread runs on, in [0, Machine::chiplets); 0 where it is not known.
/// \throws Error (not_running).
int current_chiplet();
}  // namespace detail

/// A T for each chiplet of the machine, in the memory of the chiplet's node and in cache lines of its own. Workers of
/// one chiplet share theirs, so a T has to be safe for several threads: an atomic, or with a charm::mutex. For a T of
/// each worker, which needs no such care, see combinable.
template <class T>
class per_chiplet {
 public:
  /// Each is T(). \throws Error (not_running).
  per_chiplet()
    requires std::is_default_constructible_v<T>
      : per_chiplet([](int /*chiplet*/) { return T(); }) {}
  /// Each is what `make(chiplet)` returns, for the chiplets in ascending order. T need not be movable.
  template <class Make>
    requires std::is_invocable_r_v<T, Make&, int>
  explicit per_chiplet(Make make) {
    const Machine& machine = charm::machine();
    memories_.resize(machine.nodes.size());
    values_.reserve(machine.chiplets.size());
    for (const auto& chiplet : machine.chiplets) {
      std::unique_ptr<memory_resource>& memory = memories_[static_cast<std::size_t>(chiplet.node)];
      if (memory == nullptr) memory = std::make_unique<memory_resource>(on_node{chiplet.node});
      Place place(static_cast<Value*>(memory->allocate(sizeof(Value), alignof(Value))), Free{memory.get()});
      ::new (static_cast<void*>(place.get())) Value{make(chiplet.id)};
      place.get_deleter().made = true;
      values_.push_back(std::move(place));
    }
  }
  per_chiplet(const per_chiplet&) = delete;
  per_chiplet& operator=(const per_chiplet&) = delete;
  ~per_chiplet() = default;

  /// The T of the chiplet that the caller runs on. After anything that may suspend the task (docs/suspension.md) it may
  /// be another chiplet's; it may be used all the same.
  [[nodiscard]] T& local() { return on(detail::current_chiplet()); }
  /// The T of a chiplet, an index in Machine::chiplets.
  [[nodiscard]] T& on(int chiplet) { return values_[static_cast<std::size_t>(chiplet)]->value; }
  /// The T of a chiplet.
  [[nodiscard]] const T& on(int chiplet) const { return values_[static_cast<std::size_t>(chiplet)]->value; }
  /// How many there are: the number of chiplets of the machine, with or without workers.
  [[nodiscard]] int size() const noexcept { return static_cast<int>(values_.size()); }

  /// Calls `f(value)` for every T, in the order of the chiplets.
  template <class F>
  void for_each(F&& f) {
    for (auto& each : values_) std::invoke(f, each->value);
  }

 private:
  struct alignas(alignof(T) < 64 ? 64 : alignof(T)) Value {
    T value;
  };
  struct Free {
    void operator()(Value* value) const noexcept {
      if (made) value->~Value();
      memory->deallocate(value, sizeof(Value), alignof(Value));
    }
    std::pmr::memory_resource* memory = nullptr;
    bool made = false;
  };
  using Place = std::unique_ptr<Value, Free>;

  std::vector<std::unique_ptr<memory_resource>> memories_;  // by node
  std::vector<Place> values_;                               // by chiplet
};

}  // namespace charm
