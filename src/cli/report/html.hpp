// Text into HTML. Everything that comes from outside of the page's own sources goes through `escaped`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace charm::cli {

std::string escaped(std::string_view text);

struct HtmlColumn {
  std::string title;
  bool is_number = false;
};

/// A table of escaped texts; numbers are aligned to the right.
std::string html_table(const std::vector<HtmlColumn>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::string_view css_class = "");

}  // namespace charm::cli
