#include "cli/report/html.hpp"

namespace charm::cli {

std::string html_table(const std::vector<HtmlColumn>& columns, const std::vector<std::vector<std::string>>& rows,
                       std::string_view css_class) {
  const auto open = [&](const char* tag, std::size_t column) {
    return std::string("<") + tag + (columns[column].is_number ? " class=\"number\">" : ">");
  };
  std::string out = css_class.empty() ? "<table>" : "<table class=\"" + std::string(css_class) + "\">";
  out += "<thead><tr>";
  for (std::size_t i = 0; i < columns.size(); ++i) out += open("th", i) + escaped(columns[i].title) + "</th>";
  out += "</tr></thead>\n<tbody>\n";
  for (const auto& row : rows) {
    out += "<tr>";
    for (std::size_t i = 0; i < row.size(); ++i) out += open("td", i) + escaped(row[i]) + "</td>";
    out += "</tr>\n";
  }
  return out + "</tbody></table>\n";
}

}  // namespace charm::cli
