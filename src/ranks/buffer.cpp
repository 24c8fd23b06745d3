#include "ranks/buffer.hpp"

#include <mutex>
#include <new>

namespace charm::remote {
namespace {

constexpr std::size_t head_bytes = (sizeof(Buffer) + 63) / 64 * 64;

}  // namespace

Buffer* BufferPool::take(std::size_t capacity) {
  if (capacity <= Buffer::usual_bytes) {
    capacity = Buffer::usual_bytes;
    const std::lock_guard guard(lock_);
    if (Buffer* buffer = idle_) {
      idle_ = buffer->after;
      --idle_count_;
      buffer->after = nullptr;
      buffer->next = nullptr;
      return buffer;
    }
  }
  auto* memory = static_cast<std::byte*>(::operator new(head_bytes + capacity, std::align_val_t{64}));
  auto* buffer = new (memory) Buffer(memory + head_bytes, capacity);
  const std::size_t now = memory_.fetch_add(capacity, std::memory_order_relaxed) + capacity;
  for (std::size_t most = most_.load(std::memory_order_relaxed);
       now > most && !most_.compare_exchange_weak(most, now, std::memory_order_relaxed);) {
  }
  return buffer;
}

void BufferPool::give(Buffer* buffer) noexcept {
  if (buffer->capacity == Buffer::usual_bytes) {
    const std::lock_guard guard(lock_);
    if (idle_count_ < most_idle) {
      buffer->after = idle_;
      idle_ = buffer;
      ++idle_count_;
      return;
    }
  }
  memory_.fetch_sub(buffer->capacity, std::memory_order_relaxed);
  buffer->~Buffer();
  ::operator delete(static_cast<void*>(buffer), std::align_val_t{64});
}

BufferPool::~BufferPool() {
  while (Buffer* buffer = idle_) {
    idle_ = buffer->after;
    buffer->~Buffer();
    ::operator delete(static_cast<void*>(buffer), std::align_val_t{64});
  }
}

}  // namespace charm::remote
