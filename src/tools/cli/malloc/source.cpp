#include "tools/cli/malloc/source.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <vector>

#include <fmt/format.h>

#include "base/registry.hpp"
#include "base/settings.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/preloading.hpp"
#include "tools/memory_traffic/model_json.hpp"
#include "topology/discovery.hpp"
#include "topology/profile.hpp"

namespace charm::cli {
std::vector<std::string> malloc_policies() {
  std::vector<std::string> words;
  for (const memory_traffic::Policy& policy : memory_traffic::policies()) words.emplace_back(policy.name);
  return words;
}

void declare_weight_options(CLI::App& app, WeightOptions& options) {
  one_of(app.add_option("--policy", options.policy, "How huge blocks are spread [exact]"), malloc_policies());
  file_path(
      app.add_option("--model", options.model, "Model of the machine's buses [what charm malloc profile stored]"));
  number_within(app.add_option("--demand", options.demand_gb_per_s,
                               "GB/s that the program can read at most: what the near memories can serve stays there"),
                0, 1e6);
}

namespace {

/// --from says which cpus the model's nodes have, which makes no sense for nodes of another machine.
void check_same_nodes(const WeightSource& source, const WeightOptions& options) {
  const auto in_machine = [&](int node) {
    return std::any_of(source.machine.nodes.begin(), source.machine.nodes.end(),
                       [node](const auto& known) { return known.os_index == node; });
  };
  for (const auto& memory : source.model.memories) {
    if (in_machine(memory.os_node)) continue;
    throw Error(Errc::bad_input,
                fmt::format("--model {} has NUMA node {}, which the machine of --from {} has not", options.model,
                            memory.os_node, options.from),
                "give the model and the shape of one machine, or drop one of the two");
  }
}

}  // namespace

WeightSource weight_source(const WeightOptions& options) {
  WeightSource source;
  const base::Settings settings = base::resolve({});
  source.policy = &memory_traffic::policy(options.policy);
  source.machine =
      options.from.empty() ? topology::discover(topology::source_of(settings)) : Machine::from(options.from);
  std::error_code ignored;
  const std::string stored = stored_model(source.machine);
  if (!options.model.empty()) {
    source.model = memory_traffic::read_model(options.model);
    source.origin = options.model;
    if (!options.from.empty()) check_same_nodes(source, options);
  } else if (source.machine.is_live() && !stored.empty() && std::filesystem::exists(stored, ignored)) {
    source.model = memory_traffic::read_model(stored);
    source.origin = stored;
  } else {
    source.model = memory_traffic::model_of(source.machine);
    source.origin = "the machine's description";
  }
  memory_traffic::check(source.model, source.origin);
  if (options.demand_gb_per_s > 0) source.demand_gb_per_s = options.demand_gb_per_s;
  return source;
}

memory_traffic::NodeParts parts_of_model(const WeightSource& source, const memory_traffic::NodeParts& cores) {
  memory_traffic::NodeParts parts;
  for (const auto& [node, count] : cores) {
    const int root = memory_traffic::root_of_node(source.model, node);
    if (root < 0) continue;
    memory_traffic::Question question{.model = &source.model, .left = capacities(source.model), .root = root};
    question.demand_gb_per_s = source.demand_gb_per_s;
    const memory_traffic::Weights weights = huge_weights(*source.policy, question);
    for (std::size_t m = 0; m < weights.size(); ++m) parts[source.model.memories[m].os_node] += count * weights[m];
  }
  if (parts.empty())
    throw Error(Errc::bad_input, "the model (" + source.origin + ") knows no node whose cpus are used",
                "measure this machine: charm malloc profile");
  return parts;
}

std::string stored_model(const Machine& machine) {
  const auto folder = topology::profile_folder();
  if (!folder) return "";
  const std::filesystem::path beside = std::filesystem::path(*folder).parent_path() / "traffic";
  return (beside / topology::profile_file_name(topology::key_of(machine))).string();
}

std::string published_weights() { return "/dev/shm/charm-malloc-" + std::to_string(os::user_id()); }

std::string machine_weights() { return "/dev/shm/charm-malloc"; }

std::string malloc_library() {
  const std::string left_out = CHARM_MALLOC_LEFT_OUT;
  return beside_command("libcharm_malloc.so", CHARM_LIBRARY_FROM_PROGRAM "/libcharm_malloc.so",
                        left_out.empty() ? "build it (the target charm_malloc), or install it with charm"
                                         : "it was left out of this build: " + left_out);
}

}  // namespace charm::cli
