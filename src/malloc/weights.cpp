#include "malloc/weights.hpp"

#include "os/memory/bare.hpp"

namespace charm::shim {

bool WeightFile::read_other() noexcept {
  const unsigned now = current_.load(std::memory_order_relaxed);
  memory::WeightPage& other = copies_[1 - now];
  if (!os::bare::read_sequenced(path_, &other, sizeof other) || !is_sound(other)) return false;
  const bool changed = other.generation != copies_[now].generation;
  if (changed) current_.store(1 - now, std::memory_order_release);
  return changed;
}

bool WeightFile::open(const char* path) noexcept {
  path_ = path;
  return read_other();
}

bool WeightFile::refresh(std::uint64_t now_ns) noexcept {
  if (!is_due(now_ns) || !writing_.try_lock()) return false;
  const bool changed = read_other();
  next_ns_.store(now_ns + interval_ns, std::memory_order_relaxed);
  writing_.unlock();
  return changed;
}

}  // namespace charm::shim
