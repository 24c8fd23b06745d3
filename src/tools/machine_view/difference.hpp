// The differences of two machines, for `charm topo --diff`: a line for each fact that differs. Names, shape and
// numbering are compared; the origin of a description and its notes are not.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

namespace charm::machine_view {

struct Difference {
  std::string what;
  std::string first, second;
};

std::vector<Difference> differences(const Machine& first, const Machine& second);

}  // namespace charm::machine_view
