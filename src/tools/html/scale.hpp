// Round numbers for the axes of pictures.
#pragma once

#include <vector>

namespace charm::html {

/// Round numbers from 0 to the first that is not below `top`, at most six; {0, 1} if there is nothing to show.
std::vector<double> axis_ticks(double top);

/// Round numbers within a range that need not begin at 0, at most seven; none if the range is empty.
std::vector<double> ticks_between(double low, double high);

/// Round numbers (1, 2 and 5 times powers of ten) within a positive range, at most nine. Where it is too narrow for two
/// of them they are those of ticks_between(); none if the range is empty or begins at 0.
std::vector<double> logarithmic_ticks(double low, double high);

/// The same for sizes in bytes: powers of two, at most seven.
std::vector<double> byte_ticks(double low, double high);

/// The position of a value between two others, on a logarithmic scale, since levels of a machine differ by factors. It
/// is within 0 to 1 whatever the arguments are: pictures choose colours and marks by it.
double logarithmic_place(double value, double low, double high);

}  // namespace charm::html
