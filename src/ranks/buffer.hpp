// A buffer of messages: what travels between two ranks, and on the receiver the job that runs its messages.
#pragma once

#include <charm/detail/job.hpp>
#include <charm/detail/wait_list.hpp>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>

namespace charm::remote {

class Engine;

/// In front of the messages, on the wire. As small as it can be: a call of one number and its reply fit a cache line
/// each, with the heads of Open MPI.
struct WireHead {
  std::uint32_t run = 0;       ///< messages of the receiver that the sender has run so far, in all, modulo 2^32
  std::uint16_t credits = 0;   ///< buffers that the receiver may send in addition
  std::uint16_t messages = 0;  ///< how many, all_replies if they are all replies; 0: a note, which needs no credit
  static constexpr std::uint16_t all_replies = 1U << 15;  // more than there is room for in a buffer
};

/// Behind the head of a note: a buffer of so many bytes comes by itself, or a rank was lost.
struct Announcement {
  static constexpr std::uint64_t no_buffer = 0;  ///< as `bytes`: a rank was lost
  std::uint64_t bytes = no_buffer;
  std::uint64_t number = 0;  ///< by which the sender has marked that buffer; or the rank
};

/// In front of each message: 40 bits of code, 4 of kind, 20 of the number of bytes that follow, which are padded to 8.
class MessageHead {
 public:
  static constexpr std::uint64_t all_the_rest = (1U << 20) - 1;  // as a number of bytes: the message has its own buffer
  MessageHead(std::uint64_t code, unsigned kind, std::uint64_t bytes) noexcept
      : word_(code | std::uint64_t{kind} << 40 | (bytes < all_the_rest ? bytes : all_the_rest) << 44) {}
  [[nodiscard]] std::uint64_t code() const noexcept { return word_ & ((std::uint64_t{1} << 40) - 1); }
  [[nodiscard]] unsigned kind() const noexcept { return static_cast<unsigned>(word_ >> 40 & 15); }
  [[nodiscard]] std::uint64_t bytes() const noexcept { return word_ >> 44; }

 private:
  std::uint64_t word_;
};

constexpr std::size_t most_message_bytes = std::size_t{1} << 30;

class Buffer : public charm::detail::ListedJob {
 public:
  static constexpr std::size_t usual_bytes = 16384;

  Buffer(std::byte* memory, std::size_t capacity) noexcept : ListedJob(nullptr), data(memory), capacity(capacity) {}
  [[nodiscard]] WireHead& head() noexcept { return *reinterpret_cast<WireHead*>(data); }
  /// Makes it an empty one to write to.
  void begin() noexcept {
    new (data) WireHead;
    bytes = sizeof(WireHead);
    messages = replies = 0;
  }
  [[nodiscard]] bool all_replies() noexcept { return (head().messages & WireHead::all_replies) != 0; }

  std::byte* const data;
  const std::size_t capacity;
  std::size_t bytes = 0;
  std::uint32_t messages = 0;  // of one that is written
  std::uint32_t replies = 0;   // of these
  int peer = -1;
  Engine* engine = nullptr;
  Buffer* after = nullptr;  // in a list of the pool or of a peer
};

/// The buffers of a rank that are not in use.
class BufferPool {
 public:
  BufferPool() = default;
  ~BufferPool();
  BufferPool(const BufferPool&) = delete;
  BufferPool& operator=(const BufferPool&) = delete;

  /// \throws std::bad_alloc.
  Buffer* take(std::size_t capacity = Buffer::usual_bytes);
  void give(Buffer* buffer) noexcept;
  [[nodiscard]] std::size_t most_memory() const noexcept { return most_.load(std::memory_order_relaxed); }

 private:
  static constexpr int most_idle = 64;
  charm::detail::SpinLock lock_;
  Buffer* idle_ = nullptr;
  int idle_count_ = 0;
  std::atomic<std::size_t> memory_{0};
  std::atomic<std::size_t> most_{0};
};

}  // namespace charm::remote
