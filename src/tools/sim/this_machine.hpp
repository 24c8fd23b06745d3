// The model of the machine that the command runs on: of its profile where `charm probe` has stored a reliable one, else
// of its topology with estimated costs.
#pragma once

#include <charm/machine.hpp>

#include <string>

#include "tools/sim/model.hpp"

namespace charm::sim {

struct ThisMachine {
  Model model;
  std::string source;  ///< of its numbers, for a reader: which were measured, and what the others are like
};

ThisMachine model_of_this_machine(const Machine& machine);

}  // namespace charm::sim
