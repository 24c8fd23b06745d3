// What the keys of `charm top` do. Pure: bytes from the keyboard change what is shown; nothing here reads or draws.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "tools/top/line.hpp"
#include "tools/top/screen.hpp"

namespace charm::top {

struct KeyHelp {
  const char* keys;
  const char* text;
};
/// All keys, for the page that `?` shows.
std::span<const KeyHelp> all_keys();
std::vector<Line> help_lines();

/// Puts bytes together to keys (an arrow is ESC [ A), and keys to what they do.
class Keyboard {
 public:
  /// \param rows how many rows there are. \param page how many of them the screen has about room for.
  /// \return whether the program is to end.
  bool press(unsigned char byte, ScreenOptions& look, std::size_t rows, std::size_t page);
  /// Whether an ESC was pressed that may be the beginning of a longer key.
  [[nodiscard]] bool waits() const { return state_ == State::escape; }
  /// Nothing has followed for a while: an ESC that was pressed was the key.
  void pause(ScreenOptions& look);

 private:
  enum class State { plain, escape, sequence };
  void sequence_ended(char final, ScreenOptions& look, std::size_t rows, std::size_t page);
  void escape_key(ScreenOptions& look);
  static bool type(unsigned char byte, ScreenOptions& look);
  State state_ = State::plain;
  std::string parameters_;
};

}  // namespace charm::top
