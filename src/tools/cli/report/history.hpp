// What a controller did in the course of a benchmark, as a picture and a list: the spread of the workers, and under it
// the signals that caused the moves, on one axis of time.
#pragma once

#include <string>

#include "tools/cli/bench/result.hpp"

namespace charm::cli {

/// An inline SVG: steps of the spread with a mark at each decision, and below it curves of throughput, stalls and idle
/// time. Empty without points.
std::string history_picture(const PolicyHistory& history);

/// The decisions as sentences, as an HTML list; the first and last ones where there are many.
std::string history_list(const PolicyHistory& history);

}  // namespace charm::cli
