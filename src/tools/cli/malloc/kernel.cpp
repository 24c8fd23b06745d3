// `charm malloc weights --kernel`: the same weights for memory that no malloc reaches, as the kernel's own, which root
// writes for the whole system. What was there before is kept until --withdraw or the next start of the machine, which
// forgets both.
#include <charm/error.hpp>

#include <filesystem>
#include <ostream>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "os/files/output_file.hpp"
#include "os/files/system_files.hpp"
#include "tools/cli/malloc/commands.hpp"
#include "tools/memory_traffic/kernel_weights.hpp"

namespace charm::cli {
namespace {

using memory_traffic::KernelWeights;

constexpr const char* kept = "/run/charm-kernel-weights";

KernelWeights present() {
  if (auto weights = memory_traffic::read_kernel_weights()) return std::move(*weights);
  throw Error(Errc::system, "this kernel shows no weights of its nodes (Linux 6.9 and later do, with several nodes)",
              "use --publish, for programs under the malloc");
}

base::Json to_json(const KernelWeights& weights) {
  base::Json nodes = base::Json::array();
  for (const auto& [node, weight] : weights.of_node) nodes.push_back({{"node", node}, {"weight", weight}});
  return {{"automatic", weights.automatic.value_or(false)}, {"nodes", std::move(nodes)}};
}

KernelWeights kept_weights() {
  try {
    const base::Json json = base::Json::parse(os::read_text(kept));
    KernelWeights weights;
    weights.automatic = json.at("automatic").get<bool>();
    for (const auto& node : json.at("nodes"))
      weights.of_node[node.at("node").get<int>()] = node.at("weight").get<int>();
    return weights;
  } catch (const nlohmann::json::exception& error) {
    throw Error(Errc::bad_input, std::string(kept) + ": " + base::json_problem(error),
                "remove the file, and write the weights that you want");
  }
}

std::string line_of(const KernelWeights& weights) {
  std::string text;
  for (const auto& [node, weight] : weights.of_node)
    text += (text.empty() ? "node " : ", node ") + std::to_string(node) + ": " + std::to_string(weight);
  return text + (weights.automatic.value_or(false) ? " (by the kernel)" : "");
}

int show(const MallocWeightsOptions& options, Session& session, const KernelWeights& before) {
  const KernelWeights now = present();
  if (options.output.json)
    session.out << base::json_text(base::Json{{"before", to_json(before)}, {"now", to_json(now)}}, 2) << '\n';
  else
    session.out << "before  " << line_of(before) << "\nnow     " << line_of(now) << '\n';
  return exit_done;
}

}  // namespace

int malloc_kernel_weights(const MallocWeightsOptions& options, Session& session) {
  const KernelWeights before = present();
  std::error_code error;
  if (options.withdraw) {
    if (!std::filesystem::exists(kept, error)) return show(options, session, before);
    memory_traffic::write_kernel_weights(kept_weights());
    std::filesystem::remove(kept, error);
    return show(options, session, before);
  }
  const WeightSource source = weight_source(options.weights);
  memory_traffic::NodeParts cores;
  for (const Core& core : source.machine.cores)
    ++cores[source.machine.nodes[static_cast<std::size_t>(core.node)].os_index];
  KernelWeights wanted;
  wanted.of_node = memory_traffic::whole_weights(parts_of_model(source, cores));
  if (wanted.of_node.size() < 2)
    throw Error(Errc::bad_input, "one node gets all of the memory: there is nothing to interleave",
                "'charm malloc weights' shows what the model gives each node");
  if (!std::filesystem::exists(kept, error)) {
    try {
      os::replace_whole(kept, base::json_text(to_json(before), 2) + "\n");
    } catch (const Error& failed) {
      throw Error(Errc::system, std::string("the present weights cannot be kept: ") + failed.what(),
                  "the kernel's weights are root's: call it as root");
    }
  }
  memory_traffic::write_kernel_weights(wanted);
  return show(options, session, before);
}

}  // namespace charm::cli
