// Blocks of malloc(3) on this machine: `charm malloc speed` in children, with and without libcharm_malloc.so. Where the
// machine has several memories it is first measured what they and the buses between them carry (`charm malloc
// profile`), as TAPMM does when it is installed.
#include <charm/error.hpp>

#include <cmath>
#include <filesystem>
#include <optional>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "os/files/bounded_file.hpp"
#include "tools/evaluate/live.hpp"

namespace charm::evaluate {
namespace {

namespace fs = std::filesystem;
using json = base::SortedJson;

constexpr double least_limit_s = 60;  // for the model, which is measured once
constexpr double tolerance = 0.1;     // of a part: huge pages make them coarse

[[noreturn]] void refuse_said(const char* command, const json::exception& error) {
  throw Error(Errc::system, fmt::format("{} printed nothing that can be read: {}", command, base::json_problem(error)),
              "install CHARM as a whole");
}

std::string shown(const std::map<int, double>& parts) {
  std::string text;
  for (const auto& [node, part] : parts)
    text += fmt::format("{}{:.0f} % on node {}", text.empty() ? "" : ", ", 100 * part, node);
  return text;
}

/// What one core can read by a model's file; nothing if the model does not say.
std::optional<double> core_rate(const std::string& file) {
  const json model = json::parse(os::read_bounded(file).text, nullptr, false);
  if (!model.is_object() || !model.contains("core_gb_per_s")) return std::nullopt;
  const json& rate = model["core_gb_per_s"];
  return rate.is_number() && rate.get<double>() > 0 ? std::optional(rate.get<double>()) : std::nullopt;
}

}  // namespace

LiveMeasuring::~LiveMeasuring() {
  std::error_code ignored;
  for (const auto& [key, weights] : weights_) fs::remove(weights.file, ignored);
}

const Weights& LiveMeasuring::weights_of(const MallocRun& run, double limit_s) {
  const std::string key = fmt::format("{}-{}", run.policy, run.cpus.size());
  if (const auto found = weights_.find(key); found != weights_.end()) return found->second;
  const fs::path folder = fs::absolute(around_.folder);
  std::vector<std::string> words = {"malloc", "weights", "--policy", run.policy};
  if (around_.several_memories) {
    const std::string model = (folder / "traffic-model.json").string();
    if (!fs::exists(model)) said_by({"malloc", "profile", "--seconds", "10", "--file", model}, {}, least_limit_s);
    words.insert(words.end(), {"--model", model});
    if (const auto core = core_rate(model))
      words.insert(words.end(), {"--demand", fmt::format("{:.3f}", *core * static_cast<double>(run.cpus.size()))});
  }
  Weights weights;
  weights.file = (folder / (".weights-" + key)).string();
  words.insert(words.end(), {"--file", weights.file});
  weights.parts = weights_said(said_by(words, {}, limit_s), run.node);
  return weights_.emplace(key, std::move(weights)).first->second;
}

double LiveMeasuring::one(const MallocRun& run, double limit_s) {
  // What the user's own environment says of mallocs does not count.
  std::vector<std::string> variables = {"LD_PRELOAD="};
  std::map<int, double> promised;
  if (!run.policy.empty()) {
    variables = {"LD_PRELOAD=" + around_.malloc_library};
    if (run.policy == "off") {
      variables.emplace_back("CHARM_MALLOC=off");
    } else {
      const Weights& weights = weights_of(run, limit_s);
      variables.insert(variables.end(), {"CHARM_MALLOC=on", "CHARM_MALLOC_WEIGHTS=" + weights.file});
      promised = weights.parts;
    }
  }
  std::string cpus;
  for (const int cpu : run.cpus) cpus += (cpus.empty() ? "" : ",") + std::to_string(cpu);
  const char* what = run.what == Blocks::read ? "read" : run.what == Blocks::small ? "small" : "huge";
  const std::string mib = std::to_string(std::max<std::size_t>(run.bytes >> 20U, 1));
  return speed_said(
      said_by({"malloc", "speed", "--only", what, "--cpus", cpus, "--mib", mib}, variables, std::max(limit_s, 10.0)),
      run, promised);
}

std::map<int, double> weights_said(const std::string& text, int node) {
  std::map<int, double> parts;
  try {
    const json said = json::parse(text);
    for (const auto& root : said.at("roots")) {
      if (root.at("cpus_of_node").get<int>() != node) continue;
      for (const auto& each : root.at("weights")) parts[each.at("node").get<int>()] = each.at("weight").get<double>();
    }
  } catch (const json::exception& error) {
    refuse_said("charm malloc weights", error);
  }
  if (parts.empty()) throw Error(Errc::system, fmt::format("there are no weights for the cpus of node {}", node), "");
  return parts;
}

double speed_said(const std::string& text, const MallocRun& run, const std::map<int, double>& promised) {
  double sample = 0;
  std::map<int, double> found;
  try {
    const json said = json::parse(text);
    sample = said.at(run.what == Blocks::read    ? "read_gb_per_s"
                     : run.what == Blocks::small ? "small_block_ns"
                                                 : "huge_block_us")
                 .get<double>();
    if (run.what == Blocks::read) {
      for (const auto& each : said.at("nodes")) found[each.at("node").get<int>()] = each.at("part").get<double>();
    }
  } catch (const json::exception& error) {
    refuse_said("charm malloc speed", error);
  }
  if (!(sample > 0)) throw Error(Errc::system, "charm malloc speed measured nothing", "");
  // Where the kernel does not say where pages lie, its word that it placed them has to do.
  for (const auto& [node, part] : found.empty() ? std::map<int, double>() : promised) {
    const auto here = found.find(node);
    if (std::abs((here == found.end() ? 0 : here->second) - part) <= tolerance) continue;
    throw Error(Errc::system,
                fmt::format("the kernel did not place pages as {} asks: {} instead of {}", run.policy, shown(found),
                            shown(promised)),
                "allow mbind (containers: CAP_SYS_NICE), and leave enough memory free on each node");
  }
  return sample;
}

}  // namespace charm::evaluate
