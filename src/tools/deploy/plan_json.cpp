#include "tools/deploy/plan_json.hpp"

#include <charm/error.hpp>

#include <nlohmann/json.hpp>

#include "base/choice.hpp"

namespace charm::deploy {
namespace {

using base::Json;

template <class E>
E choice_in(const Json& json, const char* key) {
  const auto word = json.at(key).get<std::string>();
  if (const auto value = base::choice_named<E>(word)) return *value;
  throw std::runtime_error(std::string(key) + " is '" + word + "'");
}

template <class Set>
Set set_in(const Json& json, const char* key) {
  return Set::parse(json.at(key).get<std::string>(), key);
}

Json worker_to_json(const Worker& worker) {
  return {{"name", worker.name},
          {"host", worker.host},
          {"cpus", worker.cpus.to_text()},
          {"core_cpus", worker.core_cpus.to_text()},
          {"cores", worker.cores.to_text()},
          {"chiplets", worker.chiplets.to_text()},
          {"nodes", worker.nodes.to_text()},
          {"memory", base::word_of(worker.memory)},
          {"memory_bytes", worker.memory_bytes},
          {"heap_bytes", worker.heap_bytes},
          {"port", worker.port},
          {"web_port", worker.web_port},
          {"directory", worker.directory}};
}

Worker worker_from_json(const Json& json) {
  Worker worker;
  worker.name = json.at("name").get<std::string>();
  worker.host = json.at("host").get<std::string>();
  worker.cpus = set_in<CpuSet>(json, "cpus");
  worker.core_cpus = set_in<CpuSet>(json, "core_cpus");
  worker.cores = set_in<CoreSet>(json, "cores");
  worker.chiplets = set_in<ChipletSet>(json, "chiplets");
  worker.nodes = set_in<OsNodeSet>(json, "nodes");
  worker.memory = choice_in<Memory>(json, "memory");
  worker.memory_bytes = json.at("memory_bytes").get<std::uint64_t>();
  worker.heap_bytes = json.at("heap_bytes").get<std::uint64_t>();
  worker.port = json.at("port").get<int>();
  worker.web_port = json.at("web_port").get<int>();
  worker.directory = json.at("directory").get<std::string>();
  if (worker.cpus.empty()) throw std::runtime_error("worker " + worker.name + " has no cpus");
  return worker;
}

Json host_to_json(const HostPlan& host) {
  Json json{{"name", host.name},       {"machine", host.machine},     {"origin", host.origin},
            {"sockets", host.sockets}, {"nodes", host.nodes},         {"chiplets", host.chiplets},
            {"cores", host.cores},     {"all_cores", host.all_cores}, {"all_cpus", host.all_cpus}};
  json["memory_limit"] = host.memory_limit;
  json["memory"] = Json::array();
  for (const NodeShare& share : host.memory) {
    json["memory"].push_back({{"node", share.node},
                              {"bytes", share.bytes},
                              {"system_bytes", share.system_bytes},
                              {"workers_bytes", share.workers_bytes}});
  }
  json["left_over"] = Json::array();
  for (const LeftOver& rest : host.left_over) {
    json["left_over"].push_back({{"cpus", rest.cpus.to_text()}, {"nodes", rest.nodes.to_text()}, {"why", rest.why}});
  }
  json["notes"] = host.notes;
  return json;
}

HostPlan host_from_json(const Json& json) {
  HostPlan host;
  host.name = json.at("name").get<std::string>();
  host.machine = json.at("machine").get<std::string>();
  host.origin = json.at("origin").get<std::string>();
  host.sockets = json.at("sockets").get<int>();
  host.nodes = json.at("nodes").get<int>();
  host.chiplets = json.at("chiplets").get<int>();
  host.cores = json.at("cores").get<int>();
  host.all_cores = json.at("all_cores").get<int>();
  host.all_cpus = json.at("all_cpus").get<int>();
  host.memory_limit = json.at("memory_limit").get<std::uint64_t>();
  for (const Json& share : json.at("memory")) {
    host.memory.push_back({share.at("node").get<int>(), share.at("bytes").get<std::uint64_t>(),
                           share.at("system_bytes").get<std::uint64_t>(),
                           share.at("workers_bytes").get<std::uint64_t>()});
  }
  for (const Json& rest : json.at("left_over")) {
    host.left_over.push_back(
        {set_in<CpuSet>(rest, "cpus"), set_in<OsNodeSet>(rest, "nodes"), rest.at("why").get<std::string>()});
  }
  host.notes = json.at("notes").get<std::vector<std::string>>();
  return host;
}

}  // namespace

Json plan_to_json(const Plan& plan) {
  Json json{{"policy", base::word_of(plan.policy)},
            {"shape", base::word_of(plan.shape)},
            {"per_chiplet", plan.per_chiplet},
            {"smt", plan.smt},
            {"directory", plan.directory}};
  json["hosts"] = Json::array();
  for (const HostPlan& host : plan.hosts) json["hosts"].push_back(host_to_json(host));
  json["workers"] = Json::array();
  for (const Worker& worker : plan.workers) json["workers"].push_back(worker_to_json(worker));
  return json;
}

Plan plan_from_json(const Json& json, const std::string& name) {
  try {
    Plan plan;
    plan.policy = choice_in<Policy>(json, "policy");
    plan.shape = choice_in<Shape>(json, "shape");
    plan.per_chiplet = json.at("per_chiplet").get<int>();
    plan.smt = json.at("smt").get<bool>();
    plan.directory = json.at("directory").get<std::string>();
    for (const Json& host : json.at("hosts")) plan.hosts.push_back(host_from_json(host));
    for (const Json& worker : json.at("workers")) plan.workers.push_back(worker_from_json(worker));
    return plan;
  } catch (const std::exception& problem) {  // nlohmann-json's, or of a set that is none
    throw Error(Errc::bad_input, name + " holds no plan: " + base::json_problem(problem),
                "make one with 'charm deploy plan --json'");
  }
}

}  // namespace charm::deploy
