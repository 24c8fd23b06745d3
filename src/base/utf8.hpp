// Text of unknown origin (names from firmware, cells of files) as UTF-8 that every reader accepts.
#pragma once

#include <string>
#include <string_view>

namespace charm::base {

/// Bytes that are no UTF-8 become U+FFFD, and so do the two code points that XML forbids (U+FFFE, U+FFFF). Control
/// characters stay.
std::string valid_utf8(std::string_view text);

}  // namespace charm::base
