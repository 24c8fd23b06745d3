// How many threads ran a kernel's loops at a time (CHARM Fig. 12), for the rows of one kernel.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/bench/result.hpp"

namespace charm::cli {

/// An inline SVG: the number of threads over the milliseconds of the last trial, a line for each row.
std::string concurrency_picture(const std::vector<Result>& rows);

/// The averages, and how many threads took part, as an HTML list.
std::string concurrency_list(const std::vector<Result>& rows);

}  // namespace charm::cli
