// Round numbers for the axes of pictures.
#pragma once

#include <vector>

namespace charm::render {

/// From 0 to the first that is not below `top`, six at most; {0, 1} where there is nothing to show.
std::vector<double> axis_ticks(double top);

/// Those within a range that need not begin at 0, seven at most; none where it is empty.
std::vector<double> ticks_between(double low, double high);

/// Where a value lies between two others, 0 to 1, by ratios: levels of a machine differ by factors.
double logarithmic_place(double value, double low, double high);

}  // namespace charm::render
