// A table for the terminal: columns as wide as their widest cell, numbers to the right.
#pragma once

#include <string>
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

/// One line a row, header first; no trailing blanks. A row shorter than `columns` ends early.
std::string render_table(const std::vector<Column>& columns, const std::vector<std::vector<Cell>>& rows, bool colour);

}  // namespace charm::cli
