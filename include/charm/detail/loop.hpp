// What all loop schedules share: how a body is called, and how many indices to run between two looks around.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/ticks.hpp>

#include <concepts>
#include <cstdint>

namespace charm::detail {

/// How many indices to run between two looks at the deque.
class Chunk {
 public:
  explicit Chunk(std::int64_t grain) noexcept : size_(grain > 0 ? grain : 1), settled_(grain > 0) {}
  [[nodiscard]] std::int64_t size() const noexcept { return size_; }

  /// Runs `body` over `count` indices and learns from the time it took.
  template <class F>
  void run(std::int64_t count, F&& body) {
    if (settled_ || count < size_) return body();  // the rest of a range says little
    std::uint64_t start = ticks();
    body();
    std::uint64_t took = ticks() - start;
    if (took >= ticks_per_us())
      settled_ = true;
    else
      size_ *= took < ticks_per_us() / 8 ? 8 : 2;
  }

 private:
  std::int64_t size_;
  bool settled_;
};

template <class I>
I index_at(I base, std::int64_t offset) noexcept {
  return static_cast<I>(static_cast<std::uint64_t>(base) + static_cast<std::uint64_t>(offset));
}

template <class I, class F>
void run_block(F& body, I low, I high) {
  if constexpr (std::invocable<F&, I, I>) {
    body(low, high);
  } else {
    for (I i = low; i < high; ++i) body(i);
  }
}

/// Runs [low, high) in chunks on this worker, which stays open to requests meanwhile; stops where the loop is stopped.
template <class I, class F>
void run_in_chunks(I base, std::int64_t low, std::int64_t high, Chunk& chunk, FailScope& loop, F& body) {
  while (low < high && !loop.cancelled()) {
    std::int64_t end = high - low < chunk.size() ? high : low + chunk.size();
    chunk.run(end - low, [&] { run_block(body, index_at(base, low), index_at(base, end)); });
    low = end;
    this_worker()->deque.answer();
  }
}

}  // namespace charm::detail
