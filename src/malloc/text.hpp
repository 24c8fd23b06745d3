// Text on the stack: what the shim says, without stdio, which allocates.
#pragma once

#include <cstddef>
#include <cstdint>

namespace charm::shim {

class Text {
 public:
  Text& operator<<(const char* text) noexcept {
    while (*text != '\0' && length_ < sizeof buffer_ - 1) buffer_[length_++] = *text++;
    return *this;
  }
  Text& operator<<(std::uint64_t number) noexcept {
    char digits[20];
    std::size_t count = 0;
    do {
      digits[count++] = static_cast<char>('0' + number % 10);
      number /= 10;
    } while (number > 0);
    while (count > 0 && length_ < sizeof buffer_ - 1) buffer_[length_++] = digits[--count];
    return *this;
  }
  [[nodiscard]] const char* data() const noexcept { return buffer_; }
  [[nodiscard]] std::size_t length() const noexcept { return length_; }
  /// As a string of C.
  [[nodiscard]] const char* words() noexcept {
    buffer_[length_] = '\0';
    return buffer_;
  }

 private:
  char buffer_[4096];
  std::size_t length_ = 0;
};

}  // namespace charm::shim
