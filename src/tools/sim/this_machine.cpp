#include "tools/sim/this_machine.hpp"

#include <charm/error.hpp>

#include <string>
#include <utility>

#include "tools/sim/from_profile.hpp"

namespace charm::sim {
namespace {

/// Which numbers were measured, and where the others are from.
std::string source_of(const Model& model) {
  std::string measured, estimated;
  for (const auto& field : cost_fields()) {
    const Number& number = model.costs.*field.member;
    if (number.value > 0 && number.source.starts_with(measured_source)) {
      measured += (measured.empty() ? "" : ", ") + std::string(field.name);
    } else if (number.value > 0 && estimated.empty()) {
      estimated = number.source;
    }
  }
  return "measured: " + (measured.empty() ? "nothing" : measured) + "; the other costs: " + estimated;
}

}  // namespace

ThisMachine model_of_this_machine(const Machine& machine) {
  Model model = estimated_model(machine);
  std::string estimates = "a model of this topology; costs: " + model.costs.l3_ns.source;
  if (machine.measured.profile.empty()) return {std::move(model), std::move(estimates)};
  if (!machine.measured.doubts.empty()) return {std::move(model), estimates + ", since the stored profile is doubtful"};
  try {
    take_costs(model, probe::load_profile(machine.measured.profile));
  } catch (const Error& problem) {  // it was read at the start, and is not there any more
    return {std::move(model), estimates + ", since the profile cannot be read: " + problem.what()};
  }
  std::string source =
      "a model of this topology with the profile of " + machine.measured.date + " (" + source_of(model) + ")";
  return {std::move(model), std::move(source)};
}

}  // namespace charm::sim
