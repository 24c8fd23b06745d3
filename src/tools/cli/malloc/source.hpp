// Which machine, model and policy a command of the malloc works with: its options, and what follows from them.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "memory/weight_page.hpp"
#include "tools/cli/cli11.hpp"
#include "tools/memory_traffic/kernel_weights.hpp"
#include "tools/memory_traffic/weight_policy.hpp"

namespace charm::cli {

struct WeightOptions {
  std::string model;  ///< a model's file; empty: what is known of the machine
  std::string from;   ///< another machine's shape; empty: this one
  std::string policy = "exact";
  double demand_gb_per_s = 0;  ///< 0: unlimited
};

/// Their names.
std::vector<std::string> malloc_policies();

void declare_weight_options(CLI::App& app, WeightOptions& options);

struct WeightSource {
  Machine machine;
  memory_traffic::Model model;
  std::string origin;  ///< of the model: a file, or "the machine's description"
  const memory_traffic::Policy* policy = nullptr;
  double demand_gb_per_s = memory_traffic::unlimited;
};

/// The model is the one that was asked for, else what `charm malloc profile` stored of this machine, else the machine's
/// description. \throws Error (bad_input, bad_config) as its parts do.
WeightSource weight_source(const WeightOptions& options);

/// What the policy gives each node, as the mean over the nodes with cpus in `cores`, by how many cores of them count:
/// the kernel has one weight for a node, whoever reads. \throws Error (bad_input) where the model has none of them.
memory_traffic::NodeParts parts_of_model(const WeightSource& source, const memory_traffic::NodeParts& cores);

/// Where `charm malloc profile` keeps the model of this machine; empty where there is no folder for it.
std::string stored_model(const Machine& machine);

/// Where the malloc of this user's programs looks for weights when nothing else is said.
std::string published_weights();

/// Where it looks next: the weights that root publishes for all users.
std::string machine_weights();

/// libcharm_malloc.so beside the command, or where it is installed.
/// \throws Error (system) that says where it was looked for.
std::string malloc_library();

}  // namespace charm::cli
