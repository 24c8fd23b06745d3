// From a model and a policy to the page of weights that the malloc shim reads (weight_page.hpp).
#pragma once

#include <charm/machine.hpp>

#include <string>

#include "memory/weight_page.hpp"
#include "tools/memory_traffic/weight_policy.hpp"

namespace charm::memory_traffic {

/// \param cpus what the cpus of each node are (the model only names the nodes). \param left what is not used by others.
/// \throws Error (bad_input) where the machine has more memories, nodes or cpus than the page has room for, or no cpu
/// of the model.
memory::WeightPage weight_page(const Model& model, const Machine& cpus, const Policy& policy, const Bandwidths& left,
                               double demand_gb_per_s = unlimited);

/// The same weights have the same generation, whenever and by whatever source they were found.
void set_generation(memory::WeightPage& page);

/// As the file holds it.
std::string page_bytes(const memory::WeightPage& page);

/// \throws Error (bad_input) where the text is no sound page; `name` stands in it.
memory::WeightPage page_from_bytes(const std::string& bytes, const std::string& name);

}  // namespace charm::memory_traffic
