// Elements of SVG and HTML as text: `element("rect", {{"class", "bar"}, {"x", 3}}, "")` is <rect class="bar" x="3"/>.
#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <string_view>

namespace charm::html {

/// A number with at most two digits after the point (a hundredth of a pixel), without zeros at the end.
std::string coordinate(double value);

struct Attribute {
  /// \param text is escaped.
  Attribute(std::string_view name_of_it, std::string_view text);
  Attribute(std::string_view name_of_it, const char* text) : Attribute(name_of_it, std::string_view(text)) {}
  Attribute(std::string_view name_of_it, const std::string& text) : Attribute(name_of_it, std::string_view(text)) {}
  template <class Number>
    requires std::integral<Number> || std::floating_point<Number>
  Attribute(std::string_view name_of_it, Number number)
      : name(name_of_it), value(coordinate(static_cast<double>(number))) {}

  std::string name;
  std::string value;  ///< as it appears in the document
};

using Attributes = std::initializer_list<Attribute>;

/// \param inside markup, written as it is.
std::string element(std::string_view name, Attributes attributes, std::string_view inside = "");

/// An element around a text, which is escaped.
std::string text_element(std::string_view name, Attributes attributes, std::string_view text);

/// A picture in a page. \param inside markup. \param title the text for screen readers.
std::string svg_picture(double width, double height, std::string_view css_class, std::string_view title,
                        std::string_view inside);

/// The same picture to stand in a file of its own, which must name its namespace. \param picture what svg_picture()
/// gave.
std::string svg_file(std::string_view picture);

}  // namespace charm::html
