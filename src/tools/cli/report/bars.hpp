// Bars of one kernel's rates as an inline SVG picture: one bar for each row, from zero to the median, with a whisker
// from the slowest to the fastest trial, and the figures as text beside it. Colours are classes of style.hpp, so that
// the page's light and dark styles apply; nothing depends on colour alone, every bar is named.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/bench/result.hpp"

namespace charm::cli {

/// \param rows of one kernel and unit
std::string rate_bars(const std::vector<Result>& rows);

/// One sentence that compares the rows and claims no difference that lies within their spread; empty for a
/// single row. Wrong answers are not compared.
std::string comparison(const std::vector<Result>& rows);

/// The name of a row beside its bar: "charm local", "openmp".
std::string row_title(const Result& row);

}  // namespace charm::cli
