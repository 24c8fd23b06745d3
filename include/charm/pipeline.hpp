// A pipeline: items pass through stages, several at a time; a stage takes them in parallel, one at a time, or one at a
// time in the order in which they were made. As oneTBB's parallel_pipeline.
#pragma once

#include <charm/detail/turns.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/error.hpp>
#include <charm/runtime.hpp>
#include <charm/task_group.hpp>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <tuple>
#include <type_traits>
#include <utility>
#include <variant>
#include <vector>

namespace charm {
namespace detail {

enum class StageMode { parallel, serial, in_order };

template <StageMode stage_mode, class F>
struct Stage {
  static constexpr StageMode mode = stage_mode;
  F function;
};

template <class T>
struct OptionalValue {
  static constexpr bool is_optional = false;
};
template <class T>
struct OptionalValue<std::optional<T>> {
  static constexpr bool is_optional = true;
  using type = T;
};

/// The types between the stages: what the first one makes, then what each makes of the type before.
template <class Made, class... Stages>
struct TypesBetween {
  using type = std::tuple<>;  // behind the last stage there is nothing
};
template <class Made, class First, class... Rest>
struct TypesBetween<Made, First, Rest...> {
  static_assert(std::is_invocable_v<decltype(First::function)&, Made&&>,
                "each stage of a pipeline takes what the stage before it returns");
  using Next = std::invoke_result_t<decltype(First::function)&, Made&&>;
  static_assert(sizeof...(Rest) == 0 || !std::is_void_v<Next>, "only the last stage of a pipeline may return nothing");
  using type = decltype(std::tuple_cat(std::declval<std::tuple<Made>>(),
                                       std::declval<typename TypesBetween<std::decay_t<Next>, Rest...>::type>()));
};

template <class Tuple>
struct ItemOf;
template <class... T>
struct ItemOf<std::tuple<T...>> {
  /// One item under way: the value before the next stage.
  struct type {
    std::variant<std::monostate, T...> value;  // alternative s: what stage s takes
    std::uint64_t number = 0;                  // in the order in which they were made
    std::size_t stage = 0;                     // the last serial one to which it came
    std::uint64_t ticket = 0;                  // there
    type* next = nullptr;                      // of those that are free, or can go on
  };
};

/// The right to make the next item, which one task has at a time, and the number of items that may still be made.
///
/// A task that has carried an item as far as it goes looks for the next one. So that idle workers do, too, there is a
/// task that waits in a deque to be run by one (the offer), but never more than one: where all are busy, none is run.
///
/// Somebody goes on: If there is an item that can go on, or one may be made and nobody makes one, then a task is about
/// to look. (tests/model/pipeline.pml)
/// - Whoever puts an item among those that can go on, or gives one back, looks afterwards.
/// - A begin() that fails because another task makes an item is followed by that one's end(), which leaves an offer.
class MakersTurn {
 public:
  explicit MakersTurn(std::size_t items) noexcept : word_(std::uint64_t{items} * one_item) {}

  /// \return whether the caller makes the next item now.
  bool begin() noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    do {
      if (seen < one_item || (seen & (busy | over)) != 0) return false;
    } while (!word_.compare_exchange_weak(seen, (seen - one_item) | busy, std::memory_order_acq_rel,
                                          std::memory_order_relaxed));
    return true;
  }
  /// The item is made. \return whether the caller has to make an offer.
  bool end() noexcept {
    std::uint64_t seen = word_.load(std::memory_order_relaxed);
    bool offers = false;
    std::uint64_t next = 0;
    do {
      offers = seen >= one_item && (seen & offered) == 0;
      next = (seen & ~busy) | (offers ? offered : 0);
    } while (!word_.compare_exchange_weak(seen, next, std::memory_order_acq_rel, std::memory_order_relaxed));
    return offers;
  }
  /// Called instead of end(): there are no more items.
  void finish() noexcept { word_.fetch_or(over, std::memory_order_relaxed); }
  /// An item can go on. \return whether the caller has to make an offer.
  bool offer() noexcept { return (word_.fetch_or(offered, std::memory_order_relaxed) & offered) == 0; }
  /// Called by the task that is the offer, before it looks.
  void take_offer() noexcept { word_.fetch_and(~offered, std::memory_order_relaxed); }
  /// An item has come to its end.
  void give_back() noexcept { word_.fetch_add(one_item, std::memory_order_acq_rel); }

 private:
  static constexpr std::uint64_t busy = 1;
  static constexpr std::uint64_t offered = 2;
  static constexpr std::uint64_t over = 4;
  static constexpr std::uint64_t one_item = 8;
  alignas(64) std::atomic<std::uint64_t> word_;
};

/// The items that were put aside and can go on, first in, first out. There are few: an item is put aside where others
/// before it take longer.
template <class Item>
class ReadyItems {
 public:
  void put(Item* item) noexcept {
    item->next = nullptr;
    lock_.lock();
    *end_ = item;
    end_ = &item->next;
    any_.store(true, std::memory_order_relaxed);
    lock_.unlock();
  }
  Item* take() noexcept {
    if (!any_.load(std::memory_order_relaxed)) return nullptr;
    lock_.lock();
    Item* const item = first_;
    if (item != nullptr) {
      first_ = item->next;
      if (first_ == nullptr) end_ = &first_;
      any_.store(first_ != nullptr, std::memory_order_relaxed);
    }
    lock_.unlock();
    return item;
  }

 private:
  SpinLock lock_;
  std::atomic<bool> any_{false};
  Item* first_ = nullptr;
  Item** end_ = &first_;
};

template <class Source, class... Stages>
class PipelineRun {
  using Made = typename OptionalValue<std::invoke_result_t<decltype(Source::function)&>>::type;
  using Item = typename ItemOf<typename TypesBetween<Made, Stages...>::type>::type;

 public:
  PipelineRun(std::size_t items, Source& source, Stages&... stages)
      : source_(source), stages_(stages...), turns_{make_turns<Stages>(items)...}, items_(items), turn_(items) {
    for (Item& item : items_) give_back(item);
  }

  void run() {
    group_.run([this] { look(); });
    group_.wait();
  }

 private:
  template <class S>
  static Turns make_turns(std::size_t items) {
    return Turns(S::mode == StageMode::parallel ? 0 : items);
  }

  void look() {
    while (!group_.is_cancelled()) {
      if (Item* const item = ready_.take()) {
        pass_on(item, std::index_sequence_for<Stages...>());
      } else {
        if (!turn_.begin()) return;
        make();
      }
    }
  }

  void make() {
    auto made = std::invoke(source_.function);
    if (!made) return turn_.finish();
    Item* const item = take();
    item->number = made_++;
    item->value.template emplace<1>(std::move(*made));
    if (turn_.end()) make_offer();
    carry<0>(item);
  }

  void make_offer() {
    group_.run([this] {
      turn_.take_offer();
      look();
    });
  }

  /// From stage `s` on, to the end or until the item is put aside.
  template <std::size_t s>
  void carry(Item* item) {
    using S = std::tuple_element_t<s, std::tuple<Stages...>>;
    if constexpr (S::mode != StageMode::parallel) {
      Turns& turns = turns_[s];
      item->stage = s;
      item->ticket = S::mode == StageMode::in_order ? item->number : turns.draw();
      if (!turns.come(item->ticket, item)) return;
    }
    pass<s>(item);
  }

  /// From stage `s` on, whose turn it is.
  template <std::size_t s>
  void pass(Item* item) {
    constexpr bool serial = std::tuple_element_t<s, std::tuple<Stages...>>::mode != StageMode::parallel;
    auto& function = std::get<s>(stages_).function;
    if constexpr (s + 1 == sizeof...(Stages)) {
      while (!group_.is_cancelled()) {
        static_cast<void>(std::invoke(function, std::move(std::get<s + 1>(item->value))));
        void* next = nullptr;
        if constexpr (serial) next = turns_[s].leave(item->ticket);
        item->value.template emplace<0>();
        give_back(*item);
        turn_.give_back();
        if (next == nullptr) return;
        item = static_cast<Item*>(next);  // here, one after the other, as it has to be
      }
    } else {
      if (group_.is_cancelled()) return;
      put<s + 2>(item, std::invoke(function, std::move(std::get<s + 1>(item->value))));
      if constexpr (serial) {
        if (void* const next = turns_[s].leave(item->ticket)) {
          ready_.put(static_cast<Item*>(next));
          if (turn_.offer()) make_offer();
        }
      }
      carry<s + 1>(item);
    }
  }
  /// From the stage on whose turn it has.
  template <std::size_t... s>
  void pass_on(Item* item, std::index_sequence<s...> /*stages*/) {
    const std::size_t at = item->stage;
    ((at == s ? pass<s>(item) : void()), ...);
  }
  /// `value` may refer to the value that it replaces: so it is a value of its own.
  template <std::size_t index, class T>
  static void put(Item* item, T value) {
    item->value.template emplace<index>(std::move(value));
  }

  // The free items. Only the task that makes an item takes one: so the head that it has seen does not leave and come
  // back meanwhile.
  void give_back(Item& item) noexcept {
    item.next = unused_.load(std::memory_order_relaxed);
    while (!unused_.compare_exchange_weak(item.next, &item, std::memory_order_release, std::memory_order_relaxed)) {
    }
  }
  Item* take() noexcept {
    Item* item = unused_.load(std::memory_order_acquire);
    while (!unused_.compare_exchange_weak(item, item->next, std::memory_order_acquire, std::memory_order_acquire)) {
    }
    return item;
  }

  Source& source_;
  std::tuple<Stages&...> stages_;
  std::array<Turns, sizeof...(Stages)> turns_;
  std::vector<Item> items_;
  std::uint64_t made_ = 0;  // whose turn it is to make one
  ReadyItems<Item> ready_;
  MakersTurn turn_;
  alignas(64) std::atomic<Item*> unused_{nullptr};
  task_group group_;
};

}  // namespace detail

/// A stage of a pipeline that takes any number of items at a time.
template <class F>
[[nodiscard]] auto parallel(F&& function) {
  return detail::Stage<detail::StageMode::parallel, std::decay_t<F>>{std::forward<F>(function)};
}
/// A stage that takes one item at a time, in the order in which the first stage has made them.
template <class F>
[[nodiscard]] auto serial_in_order(F&& function) {
  return detail::Stage<detail::StageMode::in_order, std::decay_t<F>>{std::forward<F>(function)};
}
/// A stage that takes one item at a time, in the order in which they come.
template <class F>
[[nodiscard]] auto serial_out_of_order(F&& function) {
  return detail::Stage<detail::StageMode::serial, std::decay_t<F>>{std::forward<F>(function)};
}

/// Passes items through stages and returns when all have come to the end:
///
///     charm::pipeline(16, charm::serial_in_order([&]() -> std::optional<Block> { return read(in); }),
///                     charm::parallel([](Block block) { return compress(block); }),
///                     charm::serial_in_order([&](const Packed& packed) { write(out, packed); }));
///
/// The first stage is serial, and makes the items: it returns a std::optional, and nothing when there are no more. Each
/// other stage takes what the one before returns; what the last one returns is dropped. A worker carries an item
/// through as many stages as it can, so that the item stays in its caches; an item whose turn has not come is put
/// aside, and no worker waits for it. Calls of a serial stage happen one after the other: what one has written the next
/// one sees. Any stage may wait (docs/suspension.md).
///
/// \param items that are under way at most, at least 1; memory is bounded by them. Two to four for each worker are
/// enough, unless stages wait. The first exception, or a cancelled group that the caller belongs to, ends the pipeline:
/// the items that are under way are destroyed, and the exception is rethrown. \throws Error (not_running) without a
/// runtime, (bad_input) for fewer than one item.
template <class Source, class... Stages>
void pipeline(int items, Source source, Stages... stages) {
  static_assert(
      std::is_invocable_v<decltype(Source::function)&>,
      "the first stage of a pipeline takes nothing and returns a std::optional: nothing when there are no more items");
  static_assert(detail::OptionalValue<std::invoke_result_t<decltype(Source::function)&>>::is_optional,
                "the first stage of a pipeline returns a std::optional: nothing when there are no more items");
  static_assert(Source::mode != detail::StageMode::parallel, "the first stage of a pipeline is serial_in_order");
  static_assert(sizeof...(Stages) > 0, "a pipeline has a second stage, which takes what the first one makes");
  if (items < 1)
    throw Error(Errc::bad_input, "a pipeline was to have " + std::to_string(items) + " items under way",
                "give 1 or more; four for each worker are mostly enough");
  const auto in_task = [&] {
    detail::PipelineRun<Source, Stages...>(static_cast<std::size_t>(items), source, stages...).run();
  };
  if (detail::this_worker() != nullptr) return in_task();
  run(in_task);
}

}  // namespace charm
