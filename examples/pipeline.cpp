// A pipeline: blocks of a text are made in order, encoded in parallel, and written in order.
#include <charm/charm.hpp>

#include <cstdio>
#include <optional>
#include <string>

/// Run lengths: "aaab" becomes "3a1b".
std::string encode(const std::string& text) {
  std::string out;
  for (std::size_t i = 0; i < text.size();) {
    std::size_t end = i;
    while (end < text.size() && text[end] == text[i]) ++end;
    out += std::to_string(end - i) + text[i];
    i = end;
  }
  return out;
}

int main() {
  charm::init();
  std::string expected;
  std::string written;
  int made = 0;
  charm::pipeline(
      4 * charm::num_workers(),  // blocks under way at most: so many are in memory
      charm::serial_in_order([&]() -> std::optional<std::string> {
        if (made == 1000) return {};
        std::string block(1000, static_cast<char>('a' + made++ % 26));
        expected += encode(block);
        return block;
      }),
      charm::parallel([](const std::string& block) { return encode(block); }),
      charm::serial_in_order([&](const std::string& encoded) { written += encoded; }));
  charm::finalize();
  std::printf("%d blocks became %zu bytes\n", made, written.size());
  return written == expected ? 0 : 1;
}
