// A table for the terminal: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace charm::cli {

struct Column {
  std::string title;
  enum class Align { left, right } align = Align::left;
};

struct Cell {
  std::string text;
  std::string style;  // an SGR sequence's parameters, "31" for red; empty: none. Ignored without colour
};

/// Columns that a text takes in a terminal. Code points are counted: the tool prints none that is wide or combining.
std::size_t display_width(std::string_view text);

/// One line a row, header first; no trailing blanks. A row shorter than `columns` ends early.
std::string render_table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows, bool colour);

}  // namespace charm::cli
