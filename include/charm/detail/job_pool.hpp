// Memory for jobs that outlive the call that makes them: free lists of three sizes, one pool for each worker.
//
// A stolen job, or one that was sent, ends on another worker than it was made on. Its block returns to the pool it
// came from, several in one parcel. Otherwise the maker would allocate every job and the other worker would free it,
// contending for the allocator's locks and cache lines. A parcel is one of its blocks with the addresses of the others
// in it, so that opening it misses the cache once for each parcel and not once for each block.
//
// Every block comes from operator new, so any thread may free what any thread allocated, and it is harmless if a block
// ends in another pool than it came from: `home` is where it is likely to be needed.
#pragma once

#include <charm/detail/requirements.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace charm::detail {

class JobPool {
 public:
  static constexpr std::size_t largest = 256;
  static constexpr std::uint32_t most = 8192;  // blocks kept of a size (a deque full of jobs), and about as many of
                                               // those that came back
  JobPool() = default;
  JobPool(const JobPool&) = delete;
  JobPool& operator=(const JobPool&) = delete;
  ~JobPool();

  // ---- owner ----

  void* take(std::size_t bytes) {
    if (bytes > largest) return ::operator new(bytes);
    List& list = lists_[index(bytes)];
    if (list.head == nullptr) [[unlikely]]
      return take_slow(list, index(bytes));
    void* block = list.head;
    list.head = list.head->next;
    --list.length;
    return block;
  }
  void give(void* block, std::size_t bytes) noexcept {
    if (bytes > largest) return ::operator delete(block);
    List& list = lists_[index(bytes)];
    if (list.length == most) [[unlikely]]
      return ::operator delete(block);
    list.head = new (block) Free{list.head};
    ++list.length;
  }
  /// Returns a block to `home`, the pool of the worker `home_id`.
  void give_back(void* block, std::size_t bytes, JobPool& home, int home_id) noexcept;

  /// Number of blocks of a size that were returned and wait to be used again, approximately.
  [[nodiscard]] std::uint32_t came_back(std::size_t bytes) const noexcept {
    return returned_[index(bytes)].blocks.load(std::memory_order_relaxed);
  }

  /// Memory for threads that are not workers.
  static void* take_outside(std::size_t bytes) { return ::operator new(bytes > largest ? bytes : rounded(bytes)); }

 private:
  struct Free {
    Free* next;
  };
  struct List {
    Free* head = nullptr;
    std::uint32_t length = 0;
  };
  /// The header in the first block of a parcel; the addresses follow.
  struct Parcel {
    Parcel* next;
    std::uint64_t count;  // number of addresses
    [[nodiscard]] void** blocks() noexcept { return reinterpret_cast<void**>(this + 1); }
  };
  struct Outgoing {
    Parcel* open = nullptr;
    JobPool* home = nullptr;
    int home_id = -1;
  };
  struct Returned {
    std::atomic<Parcel*> parcels{nullptr};
    std::atomic<std::uint32_t> blocks{0};  // number of blocks in them, approximately
  };
  static constexpr std::size_t sizes = 3;
  static constexpr std::size_t index(std::size_t bytes) noexcept { return bytes <= 64 ? 0 : bytes <= 128 ? 1 : 2; }
  static constexpr std::size_t rounded(std::size_t bytes) noexcept { return std::size_t{64} << index(bytes); }
  static constexpr std::uint64_t room(std::size_t size) noexcept {
    return ((std::size_t{64} << size) - sizeof(Parcel)) / sizeof(void*);
  }

  void* take_slow(List& list, std::size_t size);
  static void send(Outgoing& parcel, std::size_t size) noexcept;
  static void discard(Parcel* parcel) noexcept;

  List lists_[sizes];
  Parcel* opened_[sizes] = {};  // parcels taken from returned_, not unpacked yet
  Outgoing outgoing_[sizes];
  alignas(64) Returned returned_[sizes];
};

void* take_job_memory(std::size_t bytes);
/// Gives a block back. \param home the worker that took the block; -1: the calling one.
void give_job_memory(void* block, std::size_t bytes, int home = -1) noexcept;

}  // namespace charm::detail
