// What `charm sim` and its subcommands are asked for in the same way: machines, workloads, policies, workers, and how a
// run is modelled. Each command declares those that it uses.
#pragma once

#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/sim/options.hpp"

namespace charm::cli {

/// As they were typed.
struct SimChoices {
  std::string machine = "epyc-7713-2s", workload, policy = "charm", workers;
  sim::RunOptions run;
  int jobs = 0;
  OutputOptions output;
};

void add_machines(CLI::App& app, SimChoices& choices);
/// \param otherwise what is taken where none is given, as help says it.
void add_workloads(CLI::App& app, SimChoices& choices, const std::string& otherwise);
void add_policies(CLI::App& app, SimChoices& choices);
void add_workers(CLI::App& app, SimChoices& choices);
void add_seed(CLI::App& app, SimChoices& choices);
/// Noise, counters, the seed, and how accesses are simulated.
void add_conditions(CLI::App& app, SimChoices& choices);
void add_seconds(CLI::App& app, SimChoices& choices);
void add_adaptive_width(CLI::App& app, SimChoices& choices);
void add_jobs(CLI::App& app, SimChoices& choices);

/// \throws Error (bad_config) for a number of workers that is none.
SimRequest request_of(const SimChoices& choices);

/// The names in a list, or all.
std::vector<std::string> listed(const std::string& text, const std::vector<std::string>& all);

/// "bfs, cc, sssp"
std::string joined(const std::vector<std::string>& words);

template <class List, class Name>
std::vector<std::string> names_of(const List& list, Name&& name) {
  std::vector<std::string> names;
  for (const auto& entry : list) names.emplace_back(name(entry));
  return names;
}

}  // namespace charm::cli
