#include "tools/sim/settled.hpp"

#include "tools/sim/generator.hpp"
#include "tools/sim/spec.hpp"

namespace charm::sim {
namespace {

/// A workload with the free numbers as its parameters, unless it names others.
std::string with_free(const std::string& spec, const Free& free) {
  const std::string_view name = spec_name(spec);
  std::string more;
  const auto add = [&](const char* parameter, double value) {
    if (spec.find(parameter) == std::string::npos) more += "," + std::string(parameter) + std::to_string(value);
  };
  if (name == "gups") {
    add("buffers_mb=", free.gups_buffers_mb);
    add("update_ns=", free.gups_update_ns);
  } else if (name == "streamcluster") {
    add("turns=", free.streamcluster_turns);
    add("fresh=", free.streamcluster_fresh);
  } else if (name == "bfs" || name == "cc" || name == "sssp" || name == "pagerank") {
    add("blind=", free.blind_writes);
  }
  if (more.empty()) return spec;
  return spec_arguments(spec).empty() ? spec + ":" + more.substr(1) : spec + more;
}

}  // namespace

Rates plain_rates(const Model& model, const placement::Placement& placement, const std::string& spec) {
  const Workload work = workload(with_free(spec, model.free), static_cast<int>(placement.start().size()));
  Job job{&model, placement.start(), &work.phases.front(), {}};
  job.habits.roam = Domain::worker;
  job.habits.tree_barrier = false;
  return rates_of(job, analytic_mixes(job));
}

RunResult settled(const Model& model, const std::string& spec, const std::string& policy, int workers,
                  const Scatter& scatter) {
  RunOptions options;
  options.noise = scatter.noise;
  options.seed = scatter.seed;
  options.warm_up = 60;
  options.seconds = 60;
  const std::string named = policy == "ring" ? "ring:message_ns=" + std::to_string(model.free.message_ns) : policy;
  return run(model, with_free(spec, model.free), named, workers, options);
}

}  // namespace charm::sim
