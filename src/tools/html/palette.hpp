// Colours that readers with any kind of colour vision tell apart.
#pragma once

#include <array>
#include <cstddef>
#include <string>

namespace charm::html {

/// The colour of series `index` in a picture (Okabe and Ito), as "#0072b2"; colours repeat after eight.
const char* series_colour(std::size_t index);

struct Rgb {
  int red = 0, green = 0, blue = 0;
};

/// Dark blue over green to yellow: even steps of lightness (viridis). \param place 0 to 1.
Rgb heat_colour(double place);

/// "#21918c".
std::string hex(const Rgb& colour);

/// Sequences that set a terminal's colour of characters and of their ground; "\x1b[0m" ends both.
std::string terminal_ink(const Rgb& colour);
std::string terminal_ground(const Rgb& colour);

}  // namespace charm::html
