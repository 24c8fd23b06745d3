// Memory of all ranks under one name: arrays that are divided over the ranks, and addresses that are valid on every
// rank (CHARM §4.6, gmalloc and the symmetric heap of RING).
//
// Reads and writes are messages that the owner runs. MPI's one-sided operations are not used, because they are not
// atomic with respect to the owner's own accesses (MPI 3.1, 11.7), and the owner's kernels use its part directly.
#pragma once

#include <charm/detail/remote.hpp>
#include <charm/error.hpp>
#include <charm/placed_array.hpp>
#include <charm/remote.hpp>

#include <algorithm>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <span>
#include <string>
#include <type_traits>
#include <vector>

namespace charm {

/// The address of an object in the memory of some rank. It may be sent to any rank and used there.
template <class T>
class global_ptr {
  static_assert(std::is_trivially_copyable_v<T>, "what other ranks read and write is copied as bytes");

 public:
  global_ptr() = default;
  /// An object of rank `rank`, at its address there.
  global_ptr(int rank, T* address) noexcept : address_(reinterpret_cast<std::uintptr_t>(address)), rank_(rank) {}
  /// The rank in whose memory it is; -1 for nowhere.
  [[nodiscard]] int rank() const noexcept { return rank_; }
  /// The address, of use only on that rank.
  [[nodiscard]] T* local() const noexcept { return reinterpret_cast<T*>(address_); }
  /// Whether it points to something.
  explicit operator bool() const noexcept { return rank_ >= 0; }
  /// Further elements in the memory of the same rank.
  global_ptr operator+(std::ptrdiff_t elements) const noexcept { return global_ptr(rank_, local() + elements); }
  /// Whether both point to the same element of the same rank.
  friend bool operator==(const global_ptr&, const global_ptr&) = default;

 private:
  std::uintptr_t address_ = 0;
  std::int32_t rank_ = -1;
};

namespace remote {

namespace detail {

/// Whether it is read and written in one piece.
template <class T>
constexpr bool in_one_piece() noexcept {
  return sizeof(T) <= 8 && std::atomic_ref<T>::is_always_lock_free &&
         alignof(T) >= std::atomic_ref<T>::required_alignment;
}
template <class T>
constexpr void require_one_piece() noexcept {
  static_assert(in_one_piece<T>(),
                "atomic operations are for types of 1, 2, 4 or 8 bytes that are aligned to their size; use call() for "
                "others");
}

template <class T>
T load(const global_ptr<T>& from) noexcept {
  if constexpr (in_one_piece<T>())
    return std::atomic_ref<T>(*from.local()).load(std::memory_order_acquire);
  else
    return *from.local();
}

}  // namespace detail

/// The value at an address of this or another rank. It is read in one piece if the type has 1, 2, 4 or 8 bytes and is
/// aligned to its size. \throws Error as call() does.
template <class T>
T read(global_ptr<T> from) {
  return call(from.rank(), [](global_ptr<T> at) { return detail::load(at); }, from);
}

/// As read(), without waiting.
template <class T>
future<T> read_async(global_ptr<T> from) {
  return call_async(from.rank(), [](global_ptr<T> at) { return detail::load(at); }, from);
}

/// Copies consecutive elements from the memory of one rank into `into`, not in one piece, and waits. Any number of
/// them: more than 64 MiB are read one part after another. \throws Error as call() does.
template <class T>
void read(global_ptr<T> from, std::span<std::type_identity_t<T>> into) {
  detail::read_bytes(from.rank(), from.local(), into.data(), into.size_bytes());
}

/// Writes a value. The write is done when fence() has returned on this rank, or barrier().
template <class T>
void write(global_ptr<T> to, const std::type_identity_t<T>& value) {
  post(
      to.rank(),
      [](global_ptr<T> at, T given) {
        if constexpr (detail::in_one_piece<T>())
          std::atomic_ref<T>(*at.local()).store(given, std::memory_order_release);
        else
          *at.local() = given;
      },
      to, value);
}

/// Writes consecutive elements as write() does, but not in one piece. At most 1 GiB.
template <class T>
void write(global_ptr<T> to, std::span<const std::type_identity_t<T>> values) {
  post(
      to.rank(), [](global_ptr<T> at, std::span<const T> given) { std::copy(given.begin(), given.end(), at.local()); },
      to, values);
}

/// Adds to a number, atomically, and does not wait: for counters that many ranks add to.
template <class T>
void add(global_ptr<T> to, std::type_identity_t<T> value) {
  detail::require_one_piece<T>();
  post(
      to.rank(),
      [](global_ptr<T> at, T by) { std::atomic_ref<T>(*at.local()).fetch_add(by, std::memory_order_relaxed); }, to,
      value);
}

/// Adds to a number, atomically. \return its value before.
template <class T>
T fetch_add(global_ptr<T> to, std::type_identity_t<T> value) {
  detail::require_one_piece<T>();
  return call(
      to.rank(), [](global_ptr<T> at, T by) { return std::atomic_ref<T>(*at.local()).fetch_add(by); }, to, value);
}

/// Puts `desired` in place of `expected`, atomically. \return whether it did; if not, `expected` is the value that was
/// there.
template <class T>
bool compare_exchange(global_ptr<T> to, T& expected, std::type_identity_t<T> desired) {
  detail::require_one_piece<T>();
  struct Outcome {
    T found;
    bool done;
  };
  const Outcome outcome = call(
      to.rank(),
      [](global_ptr<T> at, T old, T wanted) {
        const bool done = std::atomic_ref<T>(*at.local()).compare_exchange_strong(old, wanted);
        return Outcome{old, done};
      },
      to, expected, desired);
  expected = outcome.found;
  return outcome.done;
}

}  // namespace remote

/// How the elements of a global array are divided among the ranks.
enum class GlobalLayout : std::uint8_t {
  block,      ///< each rank has consecutive elements, the first ranks the first ones
  cyclic,     ///< element i is on rank i mod ranks
  symmetric,  ///< each rank has as many elements of its own as were asked for
};

/// An array whose elements are divided over the ranks. gmalloc() makes it on all ranks together, and each rank's object
/// frees the rank's part; call charm::remote::barrier() before, if others may still use it.
template <class T>
class global_array {
 public:
  global_array() = default;
  /// For gmalloc(). \param count elements of all ranks, of a symmetric one those of each rank.
  global_array(std::size_t count, GlobalLayout layout)
      : count_(count),
        ranks_(static_cast<std::size_t>(remote::ranks())),
        rank_(static_cast<std::size_t>(remote::rank())),
        layout_(layout) {
    const std::size_t own_count = size_on(static_cast<int>(rank_));
    try {
      own_ = partitioned<T>(std::max<std::size_t>(own_count, 1));
    } catch (const std::exception&) {  // the other ranks wait for this one, and fail as it does
    }
    const std::vector<Part> parts =
        remote::gather(Part{reinterpret_cast<std::uintptr_t>(own_.data()), count_, layout_});
    for (std::size_t rank = 0; rank < ranks_; ++rank) check(parts, rank);
    for (const Part& part : parts) parts_.push_back(part.address);
    local_ = std::span<T>(own_.data(), own_count);
  }

  /// Elements in all, of a symmetric one in each rank.
  [[nodiscard]] std::size_t size() const noexcept { return count_; }
  /// Elements on a rank.
  [[nodiscard]] std::size_t size_on(int rank) const noexcept {
    const auto r = static_cast<std::size_t>(rank);
    switch (layout_) {
      case GlobalLayout::block:
        return begin_of(r + 1) - begin_of(r);
      case GlobalLayout::cyclic:
        return count_ / ranks_ + (r < count_ % ranks_ ? 1 : 0);
      case GlobalLayout::symmetric:
        break;
    }
    return count_;
  }
  /// The elements of this rank, to be used directly.
  [[nodiscard]] std::span<T> local() const noexcept { return local_; }
  /// The rank that has an element; this rank if the array is symmetric.
  [[nodiscard]] int owner(std::size_t index) const noexcept { return static_cast<int>(place_of(index).rank); }
  /// The place of an element among the local() ones of its owner.
  [[nodiscard]] std::size_t local_index(std::size_t index) const noexcept { return place_of(index).at; }
  /// The index in the whole array of a local() element.
  [[nodiscard]] std::size_t global_index(std::size_t local) const noexcept {
    if (layout_ == GlobalLayout::block) return begin_of(rank_) + local;
    return layout_ == GlobalLayout::cyclic ? local * ranks_ + rank_ : local;
  }

  /// The address of an element. \throws Error (bad_input) if there is none.
  [[nodiscard]] global_ptr<T> operator[](std::size_t index) const {
    check(index, count_);
    const auto [rank, at] = place_of(index);
    return address(rank, at);
  }
  /// The address of a rank's element; use it for symmetric arrays. \throws Error (bad_input) if there is none.
  [[nodiscard]] global_ptr<T> on(int rank, std::size_t index) const {
    if (rank < 0 || static_cast<std::size_t>(rank) >= ranks_)
      throw Error(Errc::bad_input, "there is no rank " + std::to_string(rank),
                  "charm::remote::ranks() tells how many there are");
    check(index, size_on(rank));
    return address(static_cast<std::size_t>(rank), index);
  }

 private:
  struct Place {
    std::size_t rank;
    std::size_t at;
  };
  struct Part {
    std::uintptr_t address;
    std::size_t count;
    GlobalLayout layout;
  };
  void check(const std::vector<Part>& parts, std::size_t rank) const {
    if (parts[rank].count != parts[0].count || parts[rank].layout != parts[0].layout)
      throw Error(Errc::bad_input,
                  "ranks 0 and " + std::to_string(rank) + " make a global array of " + std::to_string(parts[0].count) +
                      " and " + std::to_string(parts[rank].count) + " elements, or in different layouts",
                  "call gmalloc() with the same arguments on all ranks");
    if (parts[rank].address == 0)
      throw Error(Errc::system,
                  "rank " + std::to_string(rank) + " has no memory for its " +
                      std::to_string(size_on(static_cast<int>(rank))) + " elements of a global array",
                  "use fewer elements, or more machines");
  }
  static void check(std::size_t index, std::size_t size) {
    if (index >= size)
      throw Error(Errc::bad_input,
                  "element " + std::to_string(index) + " of " + std::to_string(size) + " in a global array",
                  "the last one has the number size() - 1");
  }
  [[nodiscard]] global_ptr<T> address(std::size_t rank, std::size_t index) const noexcept {
    return global_ptr<T>(static_cast<int>(rank), reinterpret_cast<T*>(parts_[rank]) + index);
  }
  /// The first `count_ % ranks_` ranks have one more than the others.
  [[nodiscard]] std::size_t begin_of(std::size_t rank) const noexcept {
    const std::size_t each = count_ / ranks_;
    const std::size_t more = count_ % ranks_;
    return rank * each + (rank < more ? rank : more);
  }
  [[nodiscard]] Place place_of(std::size_t index) const noexcept {
    if (layout_ == GlobalLayout::cyclic) return {index % ranks_, index / ranks_};
    if (layout_ == GlobalLayout::symmetric) return {rank_, index};
    const std::size_t each = count_ / ranks_;
    const std::size_t large = (each + 1) * (count_ % ranks_);  // elements on the ranks that have one more
    if (index < large) return {index / (each + 1), index % (each + 1)};
    return {count_ % ranks_ + (index - large) / each, (index - large) % each};
  }

  std::size_t count_ = 0;
  std::size_t ranks_ = 1;
  std::size_t rank_ = 0;
  GlobalLayout layout_ = GlobalLayout::block;
  partitioned<T> own_;  // pages on the nodes of this rank's workers
  std::span<T> local_;
  std::vector<std::uintptr_t> parts_;  // addresses by rank, each valid on its rank
};

/// Makes an array over all ranks, of zeros. Every rank calls it with the same arguments, under the conditions of
/// charm::remote::barrier(). \throws Error, on all ranks: system if one of them has no memory for its part, bad_input
/// if the arguments differ; not_running, remote.
template <class T>
global_array<T> gmalloc(std::size_t count, GlobalLayout layout = GlobalLayout::block) {
  static_assert(std::is_trivially_copyable_v<T>, "what other ranks read and write is copied as bytes");
  return global_array<T>(count, layout);
}

/// Makes an array of which every rank has `count` elements of its own. As gmalloc().
template <class T>
global_array<T> symmetric(std::size_t count) {
  return gmalloc<T>(count, GlobalLayout::symmetric);
}

}  // namespace charm
