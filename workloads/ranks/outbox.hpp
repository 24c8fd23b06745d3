// Items for other ranks, collected by destination and sent in lots: an item costs a copy, a lot costs a message. Every
// rank has an object of the same receiver type, whose `receive(std::span<const Item>)` runs on the rank that a lot is
// for.
#pragma once

#include <charm/remote.hpp>

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace charm::workloads {

/// The objects of one type on all ranks. All ranks make it together; the objects stay where they are meanwhile.
template <class Receiver>
class Everywhere {
 public:
  explicit Everywhere(Receiver& mine) : addresses_(remote::gather(reinterpret_cast<std::uintptr_t>(&mine))) {}
  [[nodiscard]] std::uintptr_t on(int rank) const { return addresses_[static_cast<std::size_t>(rank)]; }
  [[nodiscard]] std::size_t ranks() const { return addresses_.size(); }

 private:
  std::vector<std::uintptr_t> addresses_;
};

/// Of one task, which calls flush() after the last item. Where it ends by an exception, a lost rank above all, what is
/// left goes with it: a destructor that sends would throw again and end the program.
template <class Item, class Receiver>
class Outbox {
 public:
  static constexpr std::size_t most_items = 128;

  /// \param together the number of items that may wait here for all ranks together, such as a benchmark's rules allow.
  Outbox(const Everywhere<Receiver>& receivers, std::size_t together)
      : receivers_(receivers), lots_(receivers.ranks()) {
    items_ = together / lots_.size();
    if (items_ > most_items) items_ = most_items;
    if (items_ == 0) items_ = 1;
  }
  Outbox(const Outbox&) = delete;
  Outbox& operator=(const Outbox&) = delete;

  void add(int to, const Item& item) {
    Lot& lot = lots_[static_cast<std::size_t>(to)];
    lot.items[lot.count++] = item;
    if (lot.count == items_) send(to, lot);
  }
  void flush() {
    for (std::size_t to = 0; to < lots_.size(); ++to)
      if (lots_[to].count > 0) send(static_cast<int>(to), lots_[to]);
  }

 private:
  struct Lot {
    std::size_t count = 0;
    std::array<Item, most_items> items;
  };
  void send(int to, Lot& lot) {
    remote::post(
        to, [](std::uintptr_t at, std::span<const Item> items) { reinterpret_cast<Receiver*>(at)->receive(items); },
        receivers_.on(to), std::span<const Item>(lot.items.data(), lot.count));
    lot.count = 0;
  }

  const Everywhere<Receiver>& receivers_;
  std::vector<Lot> lots_;
  std::size_t items_;
};

}  // namespace charm::workloads
