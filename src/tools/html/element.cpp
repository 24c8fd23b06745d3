#include "tools/html/element.hpp"

#include <array>
#include <charconv>

#include "tools/html/markup.hpp"

namespace charm::html {

std::string coordinate(double value) {
  std::array<char, 400> digits{};
  const auto end = std::to_chars(digits.begin(), digits.end(), value, std::chars_format::fixed, 2).ptr;
  std::string text(digits.data(), end);
  while (text.ends_with('0')) text.pop_back();
  if (text.ends_with('.')) text.pop_back();
  return text == "-0" ? "0" : text;
}

Attribute::Attribute(std::string_view name_of_it, std::string_view text) : name(name_of_it), value(escaped(text)) {}

std::string element(std::string_view name, Attributes attributes, std::string_view inside) {
  std::string out = "<" + std::string(name);
  for (const Attribute& attribute : attributes) out += " " + attribute.name + "=\"" + attribute.value + "\"";
  if (inside.empty()) return out + "/>";
  return out.append(">").append(inside).append("</").append(name).append(">");
}

std::string text_element(std::string_view name, Attributes attributes, std::string_view text) {
  return element(name, attributes, escaped(text));
}

std::string svg_picture(double width, double height, std::string_view css_class, std::string_view title,
                        std::string_view inside) {
  // Parts of its size: on a narrow screen a picture is moved, and not made smaller still.
  constexpr double readable = 0.74, large = 1.3;
  std::string content = "\n" + text_element("title", {}, title) + "\n";
  content += inside;
  return element("svg",
                 {{"class", css_class},
                  {"role", "img"},
                  {"viewBox", "0 0 " + coordinate(width) + " " + coordinate(height)},
                  {"width", width},
                  {"height", height},
                  {"style", "max-width:min(100%," + coordinate(large * width) +
                                "px);min-width:" + coordinate(readable * width) + "px;height:auto"}},
                 content) +
         "\n";
}

std::string svg_file(std::string_view picture) {
  std::string file = "<svg xmlns=\"http://www.w3.org/2000/svg\"";
  file += picture.substr(std::string_view("<svg").size());
  return file;
}

}  // namespace charm::html
