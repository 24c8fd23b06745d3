#include "tools/cli/bench/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/cli/bench/versus.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

Json host_with_notes(const Host& host, const std::vector<std::string>& notes) {
  Json versions = Json::object();
  for (const auto& v : host.versions) versions[v.what] = v.version;
  Json settings = Json::array();
  for (const auto& s : host.settings) settings.push_back({{"name", s.name}, {"value", s.value}, {"from", s.from}});
  Json json = host_json(host);
  json["compiler"] = host.compiler;
  json["versions"] = versions;
  json["notes"] = notes;
  json["settings"] = settings;
  return json;
}

Json result_json(const Result& r) {
  Json json = {{"kernel", r.kernel},     {"runtime", r.runtime}, {"policy", r.policy},
               {"workers", r.workers},   {"input", r.input},     {"median_s", r.median_s()},
               {"min_s", r.min_s()},     {"max_s", r.max_s()},   {"seconds", r.seconds},
               {"rate", r.rate()},       {"unit", r.unit},       {"peak_rss_bytes", r.peak_rss_bytes},
               {"verified", r.verified}, {"detail", r.detail}};
  if (!r.bind.empty()) json["bind"] = r.bind;
  if (!r.schedule.empty()) json["schedule"] = r.schedule;
  if (!r.peer.empty()) json["program"] = r.peer;
  if (r.decisions) json["decisions"] = *r.decisions;
  if (!r.page_faults.empty()) json["page_faults"] = r.page_faults;
  if (!r.migrations.empty()) json["migrations"] = r.migrations;
  if (r.concurrency) {
    json["concurrency"] = {{"mean", r.concurrency->mean},
                           {"threads", r.concurrency->threads},
                           {"bin_s", r.concurrency->bin_s},
                           {"running", r.concurrency->running}};
  }
  if (r.transactions) {
    Json latencies = Json::object();
    for (const auto& each : r.transactions->latencies) latencies[fmt::format("p{:g}", each.percent)] = each.seconds;
    Json aborts = Json::object();
    for (const auto& each : r.transactions->aborts) aborts[each.reason] = each.count;
    json["commits"] = r.work;
    json["latency_s"] = latencies;
    json["aborts"] = aborts;
    json["rolled_back"] = r.transactions->rolled_back;
    json["given_up"] = r.transactions->given_up;
  }
  return json;
}

Json worker_cores_json(const PolicyCores& placement) {
  Json worker_cores = Json::array();
  for (std::size_t worker = 0; worker < placement.worker_cores.size(); ++worker) {
    const WorkerCore& worker_core = placement.worker_cores[worker];
    worker_cores.push_back({{"worker", worker},
                            {"cpu", worker_core.cpu},
                            {"core", worker_core.core},
                            {"chiplet", worker_core.chiplet},
                            {"node", worker_core.node},
                            {"socket", worker_core.socket}});
  }
  return {{"policy", placement.policy}, {"worker_cores", worker_cores}};
}

Json versus_json(const Versus& each) {
  const auto ratio_json = [](const std::optional<compare::Ratio>& ratio) {
    return ratio ? Json{{"ratio", ratio->value}, {"low", ratio->at95.low}, {"high", ratio->at95.high}} : Json();
  };
  Json queries = Json::object();
  for (const auto& kernel : each.kernels) queries[kernel.kernel] = ratio_json(kernel.ratio);
  return {{"policy", each.policy},
          {"peer", each.peer},
          {"in_all", ratio_json(each.in_all)},
          {"geometric_mean", each.geometric_mean},
          {"queries", queries}};
}

/// What only a database's queries have.
void add_profiles(Json& all, const BenchResult& outcome) {
  if (outcome.profiles.empty()) return;
  Json profiles = Json::array();
  for (const auto& profile : outcome.profiles) {
    profiles.push_back({{"query", profile.query},
                        {"scale", profile.scale},
                        {"busy_seconds", profile.busy_s},
                        {"scanned_bytes", profile.scanned_bytes},
                        {"working_set_bytes", profile.working_set_bytes},
                        {"moved_rows", profile.moved_rows},
                        {"moved_bytes", profile.moved_bytes},
                        {"exchanges", profile.exchanges},
                        {"hottest_key_share", profile.hottest_key},
                        {"imbalance", profile.imbalance}});
  }
  all["profiles"] = profiles;
  Json compared = Json::array();
  for (const auto& each : versus(outcome.results)) compared.push_back(versus_json(each));
  all["time_ratios"] = compared;
}

}  // namespace

std::string results_json(const Host& host, const BenchResult& outcome) {
  Json results = Json::array();
  for (const auto& r : outcome.results) results.push_back(result_json(r));
  Json placements = Json::array();
  for (const auto& p : outcome.placements) placements.push_back(worker_cores_json(p));
  Json all = {{"host", host_with_notes(host, outcome.notes)},
              {"input",
               {{"description", outcome.input.description},
                {"seconds", outcome.input.seconds},
                {"peak_rss_bytes", outcome.input.peak_rss_bytes}}},
              {"results", results},
              {"placements", placements},
              {"disturbances", outcome.disturbances}};
  add_profiles(all, outcome);
  // What is not UTF-8 (a file name) is replaced: the output must be JSON whatever was loaded.
  return base::json_text(all, 2) + "\n";
}

}  // namespace charm::cli
