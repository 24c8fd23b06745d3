#include "tools/cli/text_table.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace charm::cli {
namespace {

std::string styled(const std::string& text, const std::string& style, bool colour) {
  if (!colour || style.empty() || text.empty()) return text;
  return "\x1b[" + style + "m" + text + "\x1b[0m";
}

}  // namespace

std::string render_table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows, bool colour) {
  std::vector<std::size_t> widths;
  std::vector<Cell> header;
  for (const auto& column : columns) {
    widths.push_back(base::display_width(column.title));
    header.push_back({column.title, "1"});
  }
  for (const auto& row : rows) {
    for (std::size_t i = 0; i < row.size(); ++i) widths[i] = std::max(widths[i], base::display_width(row[i].text));
  }
  std::string out;
  auto add_row = [&](const std::vector<Cell>& row) {
    std::string line;
    std::size_t pending = 0;  // blanks are only written before text, so that no line ends in them
    for (std::size_t i = 0; i < row.size(); ++i) {
      const std::size_t room = widths[i] - base::display_width(row[i].text);
      if (i > 0) pending += 2;
      if (columns[i].align == Column::Align::right) pending += room;
      if (!row[i].text.empty()) {
        line += std::string(pending, ' ') + styled(row[i].text, row[i].style, colour);
        pending = 0;
      }
      if (columns[i].align == Column::Align::left) pending += room;
    }
    out += line + "\n";
  };
  add_row(header);
  for (const auto& row : rows) add_row(row);
  return out;
}

}  // namespace charm::cli
