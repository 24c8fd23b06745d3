// The turns of a serial stage: items come in any order, and pass one at a time in the order of their tickets 0, 1, 2...
//
// A ring has a place for each item that can be here at a time. One of the places holds the turn, or the turn is with
// the item that passes. An item that comes to its place and finds the turn there passes; else it stays, and nobody
// waits for it: whoever leaves puts the turn into the next place, and if an item is there, that one is next.
#pragma once

#include <charm/detail/requirements.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <utility>

namespace charm::detail {

class Turns {
 public:
  /// \param items that may be here at a time: their tickets differ by less. 0: never used.
  explicit Turns(std::size_t items) : size_(items) {
    if (items == 0) return;
    places_ = std::make_unique<std::atomic<void*>[]>(items);
    places_[0].store(turn(), std::memory_order_relaxed);
  }
  Turns(Turns&& other) noexcept : places_(std::move(other.places_)), size_(other.size_) {}

  /// The next ticket, where the order does not matter.
  std::uint64_t draw() noexcept { return drawn_.fetch_add(1, std::memory_order_relaxed); }

  /// \return whether it is the item's turn. If not, it is returned by the leave() of the ticket before; it is to be
  /// left alone here, since that may have happened already.
  bool come(std::uint64_t ticket, void* item) noexcept {
    std::atomic<void*>& place = at(ticket);
    if (place.exchange(item, std::memory_order_acq_rel) != turn()) return false;
    place.store(nullptr, std::memory_order_relaxed);  // the turn's holder has the place for itself
    return true;
  }
  /// The item with this ticket has passed. \return the item whose turn it is now, if it has come already.
  void* leave(std::uint64_t ticket) noexcept {
    std::atomic<void*>& place = at(ticket + 1);
    void* const item = place.exchange(turn(), std::memory_order_acq_rel);
    if (item != nullptr) place.store(nullptr, std::memory_order_relaxed);
    return item;
  }

 private:
  static void* turn() noexcept { return &mark; }
  static inline char mark = 0;
  std::atomic<void*>& at(std::uint64_t ticket) noexcept { return places_[ticket % size_]; }

  std::unique_ptr<std::atomic<void*>[]> places_;
  std::size_t size_;
  std::atomic<std::uint64_t> drawn_{0};
};

}  // namespace charm::detail
