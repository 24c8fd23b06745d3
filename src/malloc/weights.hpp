// The page of weights (memory/weight_page.hpp) as this process knows it, refreshed from its file.
//
// - There are two copies. `current_` names the one that readers use; only the other one is written, then the name
//   changes.
// - One thread at a time writes, and others do not wait for it. A thread that calls fork() in a process of several
//   holds the lock meanwhile, so that the child never has a writer that does not exist there.
// - A reader that is overtaken by two updates may see values of both pages. Each value is within the bounds of a sound
//   page, so in the worst case a block is placed by a mixture of the two.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "malloc/mutex.hpp"
#include "memory/weight_page.hpp"

namespace charm::shim {

class WeightFile {
 public:
  /// \return whether the file holds a sound page. \param path must stay where it is.
  bool open(const char* path) noexcept;

  [[nodiscard]] bool is_due(std::uint64_t now_ns) const noexcept {
    return now_ns >= next_ns_.load(std::memory_order_relaxed);
  }

  /// Reads the file again if it is due; where it is gone or damaged the last weights stay. \return whether they
  /// changed.
  bool refresh(std::uint64_t now_ns) noexcept;

  /// Around fork().
  void hold() noexcept { writing_.lock(); }
  void release() noexcept { writing_.unlock(); }

  /// What readers may use; only after open().
  [[nodiscard]] const memory::WeightPage& page() const noexcept {
    return copies_[current_.load(std::memory_order_acquire)];
  }

 private:
  bool read_other() noexcept;

  static constexpr std::uint64_t interval_ns = 100'000'000;
  const char* path_ = nullptr;
  memory::WeightPage copies_[2];
  std::atomic<unsigned> current_{0};
  Mutex writing_;
  std::atomic<std::uint64_t> next_ns_{0};
};

}  // namespace charm::shim
