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

/// The copy in two divisions at a size, and the point that compares them.
void add_copies(Plan& plan, const Context& context, std::size_t bytes, const std::string& first_name,
                const std::vector<std::vector<int>>& first, const std::string& second_name,
                const std::vector<std::vector<int>>& second, Point point);

/// The model's ratio of the copy in so many processes to that in so many others.
std::optional<double> predicted_copies(const Context& context, std::size_t bytes, std::size_t processes,
                                       std::size_t others);

}  // namespace charm::evaluate
