// The page of weights (memory/weight_page.hpp) as this process knows it, refreshed from its file.
//
// W1  There are two copies. `current_` names the one that readers use; only the other one is written, then the name
//     changes.
// W2  One thread at a time writes: the one whose process id is in `writer_`. A child of fork() may inherit the id of
//     its parent there, whose thread does not exist in the child; an id that is not the process's own does not count.
// W3  A reader that is overtaken by two updates may see values of both pages. Each value is within the bounds of a
//     sound page, so in the worst case a block is placed by a mixture of the two.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>

#include "memory/weight_page.hpp"

namespace charm::shim {

class WeightFile {
 public:
  /// \return whether the file holds a sound page. \param path must stay where it is.
  bool open(const char* path) noexcept;

  /// Reads the file again if it is due; where it is gone or damaged the last weights stay. \return whether they
  /// changed.
  bool refresh(std::uint64_t now_ns) noexcept;

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
  std::atomic<int> writer_{0};
  std::atomic<std::uint64_t> next_ns_{0};
};

}  // namespace charm::shim
