// A line of a screen: pieces of text with a style, cut to a width that counts columns of a terminal, of which wide
// characters take two.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace charm::top {

/// The text cut to at most `width` characters; "~" at the end marks a cut.
std::string cut(std::string_view text, std::size_t width);
/// The text cut or filled with blanks to exactly `width`.
std::string left(std::string_view text, std::size_t width);
std::string right(std::string_view text, std::size_t width);
/// The text in lines of at most `width`, broken at blanks; at most `lines` lines, the rest is cut off.
std::vector<std::string> wrapped(std::string_view text, std::size_t width, std::size_t lines);

class Line {
 public:
  Line& add(std::string_view text, const char* style = "");
  /// \param colour false: the text alone. No blanks at its end.
  [[nodiscard]] std::string render(std::size_t width, bool colour) const;

 private:
  struct Piece {
    std::string text;
    std::string style;  // an SGR sequence's parameters
  };
  std::vector<Piece> pieces_;
};

}  // namespace charm::top
