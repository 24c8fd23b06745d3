// Text into HTML. Everything from outside goes through `escaped`.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "base/markup.hpp"

namespace charm::cli {

using base::escaped;

struct HtmlColumn {
  std::string title;
  bool is_number = false;
};

/// A table of escaped texts; numbers are aligned to the right.
std::string html_table(const std::vector<HtmlColumn>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::string_view css_class = "");

}  // namespace charm::cli
