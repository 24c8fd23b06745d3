#include "base/utf8.hpp"

#include <clocale>
#include <cstddef>
#include <cstdint>
#include <cwchar>
#include <locale.h>

namespace charm::base {
namespace {

constexpr std::string_view replacement = "\xEF\xBF\xBD";  // U+FFFD

struct Sequence {
  std::size_t length = 0;
  char32_t code = 0xFFFD;
};

/// The sequence that `text` begins with; of length 0 where it begins with none (RFC 3629: the shortest form, no
/// surrogates, nothing above U+10FFFF).
Sequence first_sequence(std::string_view text) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {1, first};
  const std::size_t length = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() < length) return {};
  std::uint32_t code = first & (0xFFU >> (length + 1));
  for (std::size_t i = 1; i < length; ++i) {
    if ((byte(i) & 0xC0U) != 0x80) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const bool overlong = (length == 3 && code < 0x800) || (length == 4 && code < 0x10000);
  const bool surrogate = code >= 0xD800 && code <= 0xDFFF;
  if (overlong || surrogate || code > 0x10FFFF || code == 0xFFFE || code == 0xFFFF) return {};
  return {length, code};
}

/// The tables of widths are those of a locale, whatever locale the user has chosen; null where there is none.
locale_t unicode_locale() {
  static const locale_t locale = newlocale(LC_CTYPE_MASK, "C.UTF-8", static_cast<locale_t>(nullptr));
  return locale;
}

}  // namespace

std::string valid_utf8(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::size_t length = first_sequence(text).length;
    out += length == 0 ? replacement : text.substr(0, length);
    text.remove_prefix(length == 0 ? 1 : length);
  }
  return out;
}

char32_t take_character(std::string_view& text) {
  const Sequence first = first_sequence(text);
  text.remove_prefix(first.length == 0 ? 1 : first.length);
  return first.code;
}

int columns_of(char32_t character) {
  // Latin, and the lines and bars of our own drawings, without looking for a locale.
  if (character < 0x300 || (character >= 0x2500 && character < 0x25FD)) return 1;
  const locale_t unicode = unicode_locale();
  if (unicode == static_cast<locale_t>(nullptr)) return 1;
  const locale_t before = uselocale(unicode);
  const int columns = wcwidth(static_cast<wchar_t>(character));
  uselocale(before);
  return columns < 0 ? 1 : columns;
}

std::string printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const std::string_view before = text;
    const char32_t c = take_character(text);
    const bool control = c < 0x20 || (c >= 0x7F && c < 0xA0);
    const bool turns = c == 0x200E || c == 0x200F || (c >= 0x202A && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    if (control || turns || c == 0xFFFD)
      out += '?';
    else
      out += before.substr(0, before.size() - text.size());
  }
  return out;
}

}  // namespace charm::base
