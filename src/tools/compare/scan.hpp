// Parameter scans: one command line with {name} in it becomes a program for each value of the parameter. Pure.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace charm::compare {

/// A parameter and the values that it takes, in order.
struct Scan {
  std::string name;
  std::vector<std::string> values;
};

/// One value of each parameter.
using Parameters = std::vector<std::pair<std::string, std::string>>;

/// "threads=1,2,4", "n=1..8" (both ends included), "share=0.5..2..0.5" (with a step); lists and ranges can be mixed.
/// \throws Error (bad_input)
Scan parse_scan(const std::string& text);

/// All combinations, the last parameter fastest; a single empty one of no scans.
/// \throws Error (bad_input) if two scans have one name, or if there are more combinations than anybody could wait for.
std::vector<Parameters> combinations(const std::vector<Scan>& scans);

/// `text` with each {name} replaced by the parameter's value; other braces stay.
std::string substituted(const std::string& text, const Parameters& parameters);

}  // namespace charm::compare
