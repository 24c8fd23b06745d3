#include "tools/deploy/state.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "base/present.hpp"
#include "os/files/output_file.hpp"
#include "os/files/private_file.hpp"
#include "os/files/system_files.hpp"
#include "tools/deploy/plan_json.hpp"
#include "tools/os/service.hpp"

namespace charm::deploy {
namespace {

using base::Json;

constexpr std::size_t most_bytes = std::size_t{64} << 20U;

Json process_json(const os::ProcessIdentity& process) { return {{"pid", process.pid}, {"started", process.started}}; }

os::ProcessIdentity process_from(const Json& json) {
  return {json.at("pid").get<int>(), json.at("started").get<std::uint64_t>()};
}

using Identities = std::vector<os::ProcessIdentity>;

bool is_among(const os::ProcessIdentity& process, const Identities& all) {
  return std::find(all.begin(), all.end(), process) != all.end();
}

/// Programs that overwrite their environment (PostgreSQL's servers) are found by their descent, and those whose parent
/// has ended by their environment.
/// \param others that are another worker's, with their descendants
void add_with_descendants(Identities& all, const os::ProcessIdentity& process, const Identities& others = {}) {
  const os::Processes processes;
  Identities todo = {process};
  while (!todo.empty()) {
    const os::ProcessIdentity next = todo.back();
    todo.pop_back();
    if (is_among(next, all) || is_among(next, others) || !processes.alive(next)) continue;
    all.push_back(next);
    for (const int thread : processes.threads(next.pid)) {
      for (const int child : processes.children(next.pid, thread)) todo.push_back(os::identity(child, processes));
    }
  }
}

}  // namespace

std::string state_file(const std::string& directory) { return directory + "/state.json"; }

std::string boot_id() { return os::first_line("/proc/sys/kernel/random/boot_id").value_or(""); }

void write_state(const State& state) {
  Json json{{"id", state.id},
            {"boot", state.boot},
            {"supervisor", process_json(state.supervisor)},
            {"supervised", state.supervised},
            {"target", state.target},
            {"stop_signal", state.stop_signal},
            {"plan", plan_to_json(state.plan)}};
  json["workers"] = Json::array();
  for (const WorkerState& worker : state.workers) {
    json["workers"].push_back({{"phase", base::word_of(worker.phase)},
                               {"process", process_json(worker.process)},
                               {"restarts", worker.restarts},
                               {"last_end", worker.last_end},
                               {"listens", worker.listens}});
  }
  os::replace_whole(state_file(state.plan.directory), base::json_text(json, 2) + "\n");
}

std::optional<State> read_state(const std::string& directory) {
  const std::string path = state_file(directory);
  std::error_code ignored;
  if (!std::filesystem::exists(std::filesystem::symlink_status(path, ignored))) return std::nullopt;
  const auto refuse = [&](const std::string& problem) {
    throw Error(Errc::bad_input, "the state of the deployment, '" + path + "', " + problem,
                "end its processes by hand, and remove the file");
  };
  // Its process ids decide what is killed: a file of another user is not believed.
  const auto text = os::read_private_file(path, most_bytes);
  if (!text) refuse("is not a plain file of this user");
  try {
    const Json json = Json::parse(base::present(text));
    State state;
    state.id = json.at("id").get<std::string>();
    state.boot = json.at("boot").get<std::string>();
    state.supervisor = process_from(json.at("supervisor"));
    state.supervised = json.at("supervised").get<bool>();
    state.target = json.at("target").get<std::string>();
    state.stop_signal = json.at("stop_signal").get<int>();
    state.plan = plan_from_json(json.at("plan"), path);
    for (const Json& worker : json.at("workers")) {
      const auto phase = base::choice_named<Phase>(worker.at("phase").get<std::string>());
      if (!phase) refuse("has an unknown phase");
      state.workers.push_back({base::present(phase), process_from(worker.at("process")),
                               worker.at("restarts").get<int>(), worker.at("last_end").get<std::string>(),
                               worker.value("listens", true)});
    }
    if (state.id.empty() || state.workers.size() != state.plan.workers.size()) refuse("is incomplete");
    return state;
  } catch (const Json::exception& problem) {
    refuse("is damaged: " + base::json_problem(problem));
  }
  return std::nullopt;
}

void remove_state(const std::string& directory) {
  std::error_code ignored;
  std::filesystem::remove(state_file(directory), ignored);
}

bool lives(const State& state, std::size_t worker) {
  const os::ProcessIdentity& process = state.workers[worker].process;
  return state.boot == boot_id() && process.pid > 0 && os::Processes().alive(process);
}

bool stopped(const State& state, std::size_t worker) {
  const os::Processes processes;
  const Identities all = processes_of(state, worker);
  return std::any_of(all.begin(), all.end(), [&](const os::ProcessIdentity& process) {
    const auto status = processes.status(process.pid);
    return status && (status->state == 'T' || status->state == 't');
  });
}

std::vector<os::ProcessIdentity> processes_of(const State& state, std::size_t worker) {
  Identities all;
  if (state.boot != boot_id()) return all;
  const Identities own = os::processes_with(marker, state.id + "/" + state.plan.workers[worker].name + "/");
  // A coordinator may have started the processes of its workers.
  Identities others;
  for (const auto& process : os::processes_with(marker, state.id + "/")) {
    if (!is_among(process, own)) others.push_back(process);
  }
  if (lives(state, worker)) add_with_descendants(all, state.workers[worker].process, others);
  for (const auto& process : own) add_with_descendants(all, process, others);
  return all;
}

std::vector<os::ProcessIdentity> processes_of(const State& state) {
  Identities all;
  if (state.boot != boot_id()) return all;
  for (std::size_t w = 0; w < state.workers.size(); ++w) {
    if (lives(state, w)) add_with_descendants(all, state.workers[w].process);
  }
  for (const auto& process : os::processes_with(marker, state.id + "/")) add_with_descendants(all, process);
  return all;
}

}  // namespace charm::deploy
