// Pieces of HTML pages and the frame around them. Everything from outside goes through `escaped`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/html/markup.hpp"

namespace charm::html {

struct HtmlColumn {
  std::string title;
  bool is_number = false;
};

/// A table of escaped texts, which scrolls where it is wider than the page; numbers are aligned to the right.
std::string html_table(const std::vector<HtmlColumn>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::string_view css_class = "");

/// A name and its value for a list of them (<dl>); empty where the value is.
std::string fact(const std::string& name, const std::string& value);

/// A bulleted list of texts under a heading; empty where there are none.
std::string notes(const std::string& heading, const std::vector<std::string>& lines);

/// A whole page that needs no other file. \param body markup. \param command the command that made it; shown at the
/// page's end.
std::string html_page(const std::string& title, const std::string& body, const std::string& command);

}  // namespace charm::html
