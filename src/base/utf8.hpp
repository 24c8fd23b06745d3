// Text of unknown origin (names from firmware, cells of files) as UTF-8 that every reader accepts.
#pragma once

#include <string>
#include <string_view>

namespace charm::base {

/// Bytes that are no UTF-8 become U+FFFD, and so do the two code points that XML forbids (U+FFFE, U+FFFF). Control
/// characters stay.
std::string valid_utf8(std::string_view text);

/// Takes the first character from `text`, which is not empty: its code point, or U+FFFD for a byte that is no UTF-8.
char32_t take_character(std::string_view& text);

/// Columns that a terminal shows it in: 2 for most East Asian characters and emoji, 0 for marks that combine with the
/// character before, else 1. From the tables of the C library; 1 for all where it has none of UTF-8.
int columns_of(char32_t character);

/// The text for a terminal: control characters, also those that UTF-8 writes as two bytes, marks that turn the
/// direction of writing, and bytes that are no UTF-8 become "?". So names of other programs cannot change the screen.
std::string printable(std::string_view text);

}  // namespace charm::base
