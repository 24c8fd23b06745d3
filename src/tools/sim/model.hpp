// A machine that can be simulated: its topology as the runtime sees it, and its costs. Models are data
// (src/tools/sim/machines/*.json, built into the tool; or a file of the same form), or are made from a topology with
// estimates, or from a profile that `charm probe` measured (from_profile.hpp).
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/costs.hpp"

namespace charm::sim {

struct Model {
  std::string name;   // "epyc-7713-2s"
  std::string title;  // "2 × AMD EPYC 7713"
  std::vector<std::string> aliases;
  std::string shape_source;  // where the topology is from
  Machine machine;
  Costs costs;
  Free free;  // not of the machine; here so that a figure can be asked with other values

  /// Time of a transfer between the caches of two cores, in ns.
  [[nodiscard]] double transfer_ns(int core_a, int core_b) const;
};

/// The models that are built in, by name.
const std::vector<Model>& models();

/// A model by name or alias (case, '-', '_' and blanks do not count), else from a model file, an hwloc XML file or an
/// hwloc synthetic string; the last two get estimated costs.
/// \throws Error (bad_input) that lists the existing models.
Model model(std::string_view name_or_file);

/// \param origin appears in errors.
/// \throws Error (bad_input) if it is not a model or lacks a number.
Model parse_model(const std::string& json, const std::string& origin);

/// A model of any machine, with costs estimated from similar machines.
Model estimated_model(Machine machine);

/// The model in the form that parse_model reads. Machines whose nodes of a socket differ have no such form.
std::string model_json(const Model& model);

}  // namespace charm::sim
