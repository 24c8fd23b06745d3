// Text as a terminal shows it, and numbers as people read them.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace charm::base {

/// Columns that a text takes in a terminal, without its colour sequences; wide characters take two (base/utf8.hpp).
std::size_t display_width(std::string_view text);

/// Blanks at its end up to `width` columns.
std::string padded(std::string text, std::size_t width);

/// "1 core", "12 cores".
std::string counted(std::size_t count, std::string_view one);

/// Three significant digits, never in exponent form: 0.0913, 9.95, 99.5, 995, 12345; "?" of what is no number.
std::string three_digits(double value);

/// "3.83 ms", "11.0 s".
std::string format_seconds(double seconds);

/// "117 MiB", "1.5 GiB", "32 MiB": three significant digits, but no zeros at the end of a fraction.
std::string format_bytes(std::uint64_t bytes);

/// "4.2 %", "120 %". \param fraction 1 is 100 %.
std::string format_percent(double fraction);

}  // namespace charm::base
