// The work of a node: y += a x of BLAS 1 (ABSS §4.2) over vectors of the thread that stay in its nearest cache, so that
// a node costs what its number of elements says and graphs do not disturb each other by what they leave in the caches.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

namespace charm::selector_training {

class Axpy {
 public:
  /// \param elements of y to be computed; beyond the vectors' length, again from their start.
  static void run(std::uint32_t elements) noexcept {
    thread_local Axpy mine;
    for (std::size_t left = elements; left > 0;) {
      const std::size_t now = left < length ? left : length;
      for (std::size_t i = 0; i < now; ++i) mine.y_[i] += 1e-9 * mine.x_[i];
      left -= now;
      asm volatile("" : : "r"(mine.y_.data()) : "memory");  // somebody might read y
    }
  }

 private:
  static constexpr std::size_t length = 1024;
  Axpy() noexcept { x_.fill(1); }
  alignas(64) std::array<double, length> x_{}, y_{};
};

}  // namespace charm::selector_training
