// A snapshot as a screen of text. Pure, for any size from one cell up, in colour or without. What does not fit is left
// out, the least important first: the keys, the moves, columns, chiplets beyond a third of the screen.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "tools/top/snapshot.hpp"
#include "tools/top/view.hpp"

namespace charm::top {

struct ScreenOptions {
  std::size_t width = 80;
  std::size_t height = 24;
  bool colour = false;
  bool unicode = true;  ///< false: ASCII only
  bool keys = true;     ///< a last line with the keys
  bool held = false;    ///< the screen stays as it is
  bool help = false;    ///< a page with all keys instead of the tables
  bool typing = false;  ///< the last line shows the filter as it is typed
  View view;
  std::size_t scroll = 0;  ///< rows left out at the top
  std::string clock;       ///< time of day, for the first line
  std::string metrics;     ///< where metrics are served; empty: nowhere
};

/// The screen: at most `height` lines, none wider than `width`.
std::vector<std::string> render(const Snapshot& snapshot, const ScreenOptions& look);

}  // namespace charm::top
