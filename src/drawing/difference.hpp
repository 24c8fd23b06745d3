// How two machines differ, for `charm topo --diff`: a line for each fact that is not the same. Names, shape and
// numbering count; where a description came from, and what was noted about it, do not.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

namespace charm::drawing {

struct Difference {
  std::string what;
  std::string first, second;
};

std::vector<Difference> differences(const Machine& first, const Machine& second);

}  // namespace charm::drawing
