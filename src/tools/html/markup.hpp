// Escapes text for HTML and SVG. All text that does not come from the page's own sources (names from firmware, command
// lines) must go through here.
#pragma once

#include <string>
#include <string_view>

#include "base/utf8.hpp"

namespace charm::html {

/// Escapes text for content and quoted attributes. Control characters, which neither format allows even escaped, become
/// blanks, and bytes that are no UTF-8 become U+FFFD: one of them would make the whole file unreadable.
inline std::string escaped(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (const char c : base::valid_utf8(text)) {
    switch (c) {
      case '&':
        out += "&amp;";
        break;
      case '<':
        out += "&lt;";
        break;
      case '>':
        out += "&gt;";
        break;
      case '"':
        out += "&quot;";
        break;
      case '\'':
        out += "&#39;";
        break;
      default:
        out += static_cast<unsigned char>(c) < 0x20 && c != '\n' && c != '\t' ? ' ' : c;
    }
  }
  return out;
}

}  // namespace charm::html
