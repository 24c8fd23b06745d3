#include "tools/top/line.hpp"

#include "base/format.hpp"
#include "base/utf8.hpp"

namespace charm::top {
namespace {

/// As much of the text as `width` columns show; of a wide character that would be cut in two, nothing.
std::string_view first(std::string_view text, std::size_t width) {
  std::string_view rest = text;
  std::size_t taken = 0;
  while (!rest.empty()) {
    const std::size_t at = text.size() - rest.size();
    taken += static_cast<std::size_t>(base::columns_of(base::take_character(rest)));
    if (taken > width) return text.substr(0, at);
  }
  return text;
}

}  // namespace

std::string cut(std::string_view text, std::size_t width) {
  if (base::display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  // A wide character that does not fit leaves a column over.
  return std::string(first(text, width - 1)) + "~";
}

std::string left(std::string_view text, std::size_t width) {
  std::string shown = cut(text, width);
  shown.append(width - base::display_width(shown), ' ');
  return shown;
}

std::string right(std::string_view text, std::size_t width) {
  const std::string shown = cut(text, width);
  return std::string(width - base::display_width(shown), ' ') + shown;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t lines) {
  std::vector<std::string> parts;
  while (parts.size() + 1 < lines && base::display_width(text) > width) {
    const std::string_view fits = first(text, width + 1);
    auto blank = fits.rfind(' ');
    if (blank == std::string_view::npos || blank == 0) blank = first(text, width).size();
    if (blank == 0) break;  // a wide character in a single column
    parts.emplace_back(text.substr(0, blank));
    text.remove_prefix(blank);
    if (text.starts_with(' ')) text.remove_prefix(1);
  }
  parts.push_back(cut(text, width));
  return parts;
}

Line& Line::add(std::string_view text, const char* style) {
  pieces_.push_back({std::string(text), style});
  return *this;
}

std::string Line::render(std::size_t width, bool colour) const {
  std::string whole;
  for (const Piece& piece : pieces_) whole += piece.text;
  std::size_t room = width;
  const bool cut_off = base::display_width(whole) > width;
  if (cut_off && width > 0) --room;
  std::string out;
  std::string pending;  // blanks are only written before text
  for (const Piece& piece : pieces_) {
    const std::string_view shown = first(piece.text, room);
    room = shown.size() < piece.text.size() ? 0 : room - base::display_width(shown);
    const auto end = shown.find_last_not_of(' ');
    if (end == std::string_view::npos) {
      pending += shown;
      continue;
    }
    out += pending;
    pending = std::string(shown.substr(end + 1));
    const std::string text(shown.substr(0, end + 1));
    out += colour && !piece.style.empty() ? "\x1b[" + piece.style + "m" + text + "\x1b[0m" : text;
  }
  if (cut_off && width > 0) out += pending + "~";
  return out;
}

}  // namespace charm::top
