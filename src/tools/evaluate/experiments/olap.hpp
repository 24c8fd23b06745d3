// What the two experiments of OLAP on chiplets Fig. 5 share: STREAM's copy on all cores, in processes of equal size.
#pragma once

#include <string>
#include <vector>

#include "tools/evaluate/experiment.hpp"

namespace charm::evaluate {

/// The cpus of all cores, a process for each chiplet, node or core.
std::vector<std::vector<int>> by_chiplet(const Machine& machine);
std::vector<std::vector<int>> by_node(const Machine& machine);
std::vector<std::vector<int>> by_core(const Machine& machine);

/// One way to copy arrays: as processes on their cpus here, and as the model has it.
struct Copying {
  std::string name;
  std::vector<std::vector<int>> processes;
  std::string policy;  ///< a placement of as many workers as the processes have cpus
};

/// The copy in two ways at a size, and the point that compares the first with the second.
void add_copies(Plan& plan, const Context& context, std::size_t bytes, const Copying& first, const Copying& second,
                Point point);

}  // namespace charm::evaluate
