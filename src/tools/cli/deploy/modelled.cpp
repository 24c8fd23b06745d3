#include "tools/cli/deploy/modelled.hpp"

#include <charm/error.hpp>

#include <cmath>
#include <set>
#include <sstream>
#include <vector>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/present.hpp"
#include "os/files/system_files.hpp"
#include "tools/deploy/plan.hpp"
#include "tools/sim/deployments.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

std::vector<std::string> words_of(const std::string& list, const std::string& all) {
  std::vector<std::string> words;
  std::istringstream text(list.empty() ? all : list);
  for (std::string word; std::getline(text, word, ',');) words.push_back(word);
  return words;
}

/// The cores of the workers that `charm deploy plan` makes for a policy; "wicp-mixed" is one with its shape.
sim::Processes planned(const sim::Model& model, const std::string& policy) {
  deploy::Request request;
  request.policy = base::present(base::choice_named<deploy::Policy>(policy.substr(0, policy.find('-'))));
  if (policy.ends_with("-mixed")) request.shape = deploy::Shape::mixed;
  const deploy::Host host{model.name, model.machine};
  sim::Processes processes;
  for (const deploy::Worker& worker : deploy::make_plan({&host, 1}, request).workers) processes.push_back(worker.cores);
  return processes;
}

std::vector<sim::RecordedQuery> wanted_queries(const DeployBenchOptions& options) {
  auto all = options.recording.empty() ? sim::recorded_tpch()
                                       : sim::recorded_queries(os::read_text(options.recording), options.recording);
  if (options.queries.empty()) return all;
  std::vector<sim::RecordedQuery> some;
  for (const std::string& name : words_of(options.queries, "")) {
    for (const auto& query : all) {
      if (query.name == name) some.push_back(query);
    }
  }
  if (some.empty())
    throw Error(Errc::bad_config, "the recording has none of the queries " + options.queries, "give other --query");
  return some;
}

Json machine_json(const std::string& name, const std::vector<sim::RecordedQuery>& queries,
                  const DeployBenchOptions& options) {
  const sim::Model model = sim::deployed_machine(name);
  const auto seconds = [&](const sim::Processes& processes) {
    std::vector<double> all;
    for (const auto& query : queries)
      all.push_back(sim::modelled_seconds(model, query, processes, options.modelled_scale));
    return all;
  };
  Json runs = Json::array();
  for (const std::string& policy : words_of(options.policies, "wim,win,wicp,wic")) {
    const sim::Processes processes = planned(model, policy);
    const auto taken = seconds(processes);
    Json by_query = Json::object();
    for (std::size_t i = 0; i < queries.size(); ++i) by_query[queries[i].name.substr(1)] = taken[i];
    runs.push_back({{"policy", policy}, {"workers", processes.size()}, {"seconds", by_query}});
  }
  // Fig. 12: one process, twice as many, and so on, and as many as there are nodes and chiplets.
  const auto cores = static_cast<int>(model.machine.cores.size());
  std::set<int> counts = {cores, static_cast<int>(model.machine.nodes.size()),
                          static_cast<int>(model.machine.chiplets.size())};
  for (int count = 1; count < cores; count *= 2) counts.insert(count);
  const auto one = seconds(sim::evenly(model.machine, 1));
  Json by_count = Json::array();
  for (const int count : counts) {
    const auto taken = seconds(sim::evenly(model.machine, count));
    double logarithms = 0;
    for (std::size_t i = 0; i < taken.size(); ++i) logarithms += std::log(one[i] / taken[i]);
    by_count.push_back({count, std::exp(logarithms / static_cast<double>(taken.size()))});
  }
  return {{"machine", model.title}, {"scale", options.modelled_scale}, {"runs", runs}, {"by_count", by_count}};
}

}  // namespace

std::string modelled_deployments(const DeployBenchOptions& options) {
  const auto queries = wanted_queries(options);
  Json all = Json::array();
  for (const std::string& name : words_of(options.machines, "")) all.push_back(machine_json(name, queries, options));
  return base::json_text(all, -1);
}

}  // namespace charm::cli
