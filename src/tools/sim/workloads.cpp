#include <charm/error.hpp>

#include <algorithm>
#include <charconv>

#include "tools/sim/generator.hpp"
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

Workload single(std::string_view spec, int workers) {
  std::string known;
  for (const Generator* generator : generators()) {
    if (generator->name == spec_name(spec)) {
      const std::string what = "workload " + std::string(generator->name);
      Workload out = generator->make({what, generator->parameters, spec_arguments(spec)}, workers);
      out.name = std::string(spec);
      for (Phase& phase : out.phases) {
        std::erase_if(phase.components, [](const Component& c) { return c.accesses <= 0; });
        for (Component& c : phase.components) c.bytes = std::max(c.bytes, line_bytes);
        if (phase.step_operations > 0) phase.step_operations = std::max(phase.step_operations, 1.0);
      }
      return out;
    }
    known += (known.empty() ? "" : ", ") + std::string(generator->name);
  }
  throw Error(Errc::bad_config, "unknown workload '" + std::string(spec_name(spec)) + "'", "choose one of " + known);
}

}  // namespace

std::span<const Generator* const> generators() {
  static constexpr const Generator* all[] = {
      &sweep_generator,    &copy_generator,  &triad_generator,         &uniform_generator,   &zipf_generator,
      &readonly_generator, &pairs_generator, &all_to_all_generator,    &contended_generator, &hash_join_generator,
      &bfs_generator,      &cc_generator,    &sssp_generator,          &pagerank_generator,  &graph500_generator,
      &gups_generator,     &sgd_generator,   &streamcluster_generator, &ycsb_generator,      &tpcc_generator,
      &compute_generator};
  return all;
}

Workload workload(std::string_view spec, int workers) {
  Workload out;
  if (spec.ends_with('+')) {
    throw Error(Errc::bad_config, "workload '" + std::string(spec) + "' ends in a plus",
                "write what comes after it, as in bfs@10+sweep@2");
  }
  for (std::string_view left = spec; !left.empty();) {
    const auto plus = left.find('+');
    std::string_view part = left.substr(0, plus);
    left = plus == std::string_view::npos ? "" : left.substr(plus + 1);
    double seconds = 1e18;
    if (const auto at = part.find('@'); at != std::string_view::npos) {
      const std::string_view number = part.substr(at + 1);
      const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), seconds);
      if (error != std::errc() || end != number.data() + number.size() || !(seconds > 0)) {
        throw Error(Errc::bad_config, "workload '" + std::string(spec) + "': '" + std::string(number) + "' is no time",
                    "write seconds, as in bfs@10+sweep@2");
      }
      part = part.substr(0, at);
    } else if (spec.find('+') != std::string_view::npos) {
      throw Error(Errc::bad_config,
                  "workload '" + std::string(spec) + "': how long '" + std::string(part) + "' lasts is missing",
                  "write seconds after each part, as in bfs@10+sweep@2");
    }
    Workload one = single(part, workers);
    for (Phase& phase : one.phases) {
      phase.seconds = seconds;
      out.phases.push_back(std::move(phase));
    }
    out.unit = one.unit;
  }
  if (out.phases.empty()) single(spec, workers);
  out.name = std::string(spec);
  return out;
}

double memory_of(const Workload& workload, int workers) {
  double most_bytes = 0;
  for (const Phase& phase : workload.phases) {
    double bytes = 0;
    for (const Component& c : phase.components)
      bytes += c.reach == Component::Reach::shared ? c.bytes : c.bytes * workers;
    most_bytes = std::max(most_bytes, bytes);
  }
  return most_bytes;
}

}  // namespace charm::sim
