// `charm deploy up`, `status`, `verify` and `down`.
#include <charm/error.hpp>

#include <chrono>
#include <csignal>
#include <future>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/deploy/commands.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/deploy/ending.hpp"
#include "tools/deploy/state.hpp"
#include "tools/deploy/target.hpp"
#include "tools/deploy/verify.hpp"
#include "tools/os/service.hpp"

namespace charm::cli {
namespace {

constexpr int exit_silent = 3;  // of status: all workers run, and some do not answer (yet)

deploy::State state_in(const std::string& directory) {
  const std::string folder = deploy_folder(directory);
  os::become_owner_of(folder);  // its contents decide what is read and signalled
  auto state = deploy::read_state(folder);
  if (!state) {
    throw Error(Errc::bad_input, "there is no deployment in '" + folder + "'",
                "start one with 'charm deploy up', or give its --dir");
  }
  return std::move(*state);
}

struct WorkerRow {
  std::string name, phase, last_end;
  int pid = 0, restarts = 0;
  bool alive = false;
  std::optional<bool> answers = {};  // nothing: it listens nowhere

  [[nodiscard]] std::string answer() const { return !answers ? "–" : *answers ? "yes" : "no"; }
};

/// Of a worker that runs and listens.
os::Question question_for(const deploy::State& state, std::size_t w) {
  const deploy::Worker& worker = state.plan.workers[w];
  for (const deploy::Target& each : deploy::targets()) {
    if (each.name == state.target && each.question != nullptr) return each.question(worker);
  }
  return {"", worker.port, "", ""};
}

std::vector<WorkerRow> worker_rows(const deploy::State& state) {
  std::vector<WorkerRow> rows;
  const bool supervised = state.supervised && os::Processes().alive(state.supervisor);
  for (std::size_t w = 0; w < state.workers.size(); ++w) {
    const deploy::WorkerState& worker = state.workers[w];
    WorkerRow row{state.plan.workers[w].name, std::string(base::word_of(worker.phase)), worker.last_end};
    row.alive = deploy::lives(state, w);
    row.pid = row.alive ? worker.process.pid : 0;
    row.restarts = worker.restarts;
    if (worker.listens) row.answers = false;
    // The state is what the supervisor saw last; without one nobody notes an end.
    if (!row.alive && worker.phase == deploy::Phase::running) row.phase = "ended";
    if (!supervised && worker.phase == deploy::Phase::waiting) row.phase = "ended";
    if (row.alive && deploy::stopped(state, w)) row.phase = "stopped";
    rows.push_back(std::move(row));
  }
  // All at once: each that hangs takes the whole time.
  constexpr double patience_s = 5;
  std::vector<std::pair<std::size_t, std::future<bool>>> asked;
  for (std::size_t w = 0; w < rows.size(); ++w) {
    if (!rows[w].alive || !rows[w].answers || rows[w].phase == "stopped") continue;
    asked.emplace_back(w, std::async(std::launch::async, os::answers, question_for(state, w), patience_s));
  }
  for (auto& [w, answer] : asked) rows[w].answers = answer.get();
  return rows;
}

std::string bytes_by_node(const std::map<int, std::uint64_t>& bytes) {
  std::string text;
  for (const auto& [node, each] : bytes) {
    text += fmt::format("{}{} on node {}", text.empty() ? "" : ", ", base::format_bytes(each), node);
  }
  return text.empty() ? "?" : text;
}

base::Json verified_json(const std::vector<deploy::Verified>& all) {
  base::Json list = base::Json::array();
  for (const auto& each : all) {
    base::Json bytes = base::Json::object();
    for (const auto& [node, count] : each.bytes) bytes[std::to_string(node)] = count;
    base::Json policies = base::Json::object();
    for (const auto& [policy, count] : each.policy) policies[policy] = count;
    list.push_back({{"worker", each.worker},
                    {"processes", each.processes},
                    {"threads", each.threads},
                    {"cpus", each.cpus.to_text()},
                    {"bytes_by_node", bytes},
                    {"mappings_by_policy", policies},
                    {"problems", each.problems}});
  }
  return list;
}

}  // namespace

int deploy_up(const DeployUpOptions& options, Session& session) {
  deploy::UpOptions up = options.up;
  up.target = options.options;
  up.supervise = !options.leave;
  const deploy::Plan plan = deploy_plan_of(options, {});
  if (!options.user.empty()) os::become_user(options.user);  // before anything in the folder is touched
  const auto say = [&](const std::string& line) {
    if (!options.out.quiet) session.err << line << std::endl;  // at once: it may be a log that somebody follows
  };
  const deploy::Outcome outcome = deploy::bring_up(plan, deploy::target(options.target), up, say);
  return outcome == deploy::Outcome::failed ? exit_failed : exit_done;
}

int deploy_status(const DeployWatchOptions& options, Session& session) {
  const deploy::State state = state_in(options.directory);
  const std::vector<WorkerRow> rows = worker_rows(state);
  const bool supervised = state.supervised && os::Processes().alive(state.supervisor);
  bool all_run = true, all_answer = true;
  base::Json list = base::Json::array();
  std::vector<std::vector<Cell>> cells;
  for (std::size_t w = 0; w < rows.size(); ++w) {
    const WorkerRow& row = rows[w];
    const deploy::Worker& worker = state.plan.workers[w];
    const bool runs = row.alive && row.phase != "stopped";
    all_run = all_run && runs;
    all_answer = all_answer && row.answers.value_or(true);
    list.push_back({{"worker", row.name},
                    {"phase", row.phase},
                    {"pid", row.pid},
                    {"restarts", row.restarts},
                    {"last_end", row.last_end},
                    {"cpus", worker.cpus.to_text()},
                    {"port", worker.port},
                    {"answers", row.answers ? base::Json(*row.answers) : base::Json()}});
    cells.push_back({{row.name, "1"},
                     {row.phase, runs ? "" : "31"},
                     {row.pid > 0 ? std::to_string(row.pid) : "–", ""},
                     {worker.cpus.to_text(), ""},
                     {std::to_string(worker.port), ""},
                     {row.answer(), runs && !row.answers.value_or(true) ? "31" : ""},
                     {std::to_string(row.restarts), ""},
                     {row.last_end, ""}});
  }
  if (options.out.json) {
    session.out << base::json_text(base::Json{{"target", state.target}, {"supervised", supervised}, {"workers", list}},
                                   2)
                << '\n';
  } else {
    using Align = Column::Align;
    session.out << render_table({{"worker"},
                                 {"phase"},
                                 {"pid", Align::right},
                                 {"cpus"},
                                 {"port", Align::right},
                                 {"answers"},
                                 {"restarts", Align::right},
                                 {"last end"}},
                                cells, colour_on_stdout(options.out.colour));
    if (state.supervised && !supervised) {
      session.out << "\nnote: 'charm deploy up' has ended without its workers: none is started again; 'charm deploy "
                     "down' ends them\n";
    }
  }
  return !all_run ? exit_failed : all_answer ? exit_done : exit_silent;
}

int deploy_verify(const DeployWatchOptions& options, Session& session) {
  const deploy::State state = state_in(options.directory);
  const auto all = deploy::verify(state);
  bool good = true;
  std::vector<std::vector<Cell>> cells;
  std::string problems;
  for (const auto& each : all) {
    const bool bound = each.problems.empty();
    good = good && bound;
    cells.push_back({{each.worker, "1"},
                     {bound ? "yes" : "no", bound ? "32" : "31"},
                     {std::to_string(each.processes), ""},
                     {std::to_string(each.threads), ""},
                     {each.cpus.to_text(), ""},
                     {bytes_by_node(each.bytes), ""}});
    for (const auto& problem : each.problems) problems += fmt::format("{}: {}\n", each.worker, problem);
  }
  if (options.out.json) {
    session.out << base::json_text(base::Json{{"bound", good}, {"workers", verified_json(all)}}, 2) << '\n';
    return good ? exit_done : exit_failed;
  }
  using Align = Column::Align;
  session.out << render_table(
      {{"worker"}, {"bound"}, {"processes", Align::right}, {"threads", Align::right}, {"their cpus"}, {"memory"}},
      cells, colour_on_stdout(options.out.colour));
  if (!problems.empty()) session.out << '\n' << problems;
  return good ? exit_done : exit_failed;
}

int deploy_down(const DeployWatchOptions& options, Session& session) {
  const deploy::State state = state_in(options.directory);
  const std::string& folder = state.plan.directory;
  const auto say = [&](const std::string& line) {
    if (!options.out.quiet) session.out << line << '\n';
  };
  // A living supervisor would start again what is ended here; it is asked to end its workers itself.
  if (state.boot == deploy::boot_id() && state.supervised && os::signal_process(state.supervisor, SIGTERM)) {
    constexpr double margin_s = 15;
    const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(options.grace_s + margin_s);
    const os::Processes processes;
    while (processes.alive(state.supervisor) && std::chrono::steady_clock::now() < end) {
      std::this_thread::sleep_for(std::chrono::milliseconds(20));
    }
    if (processes.alive(state.supervisor)) os::signal_process(state.supervisor, SIGKILL);
    say(fmt::format("'charm deploy up' (pid {}) has ended its workers", state.supervisor.pid));
  }
  // Its last state may know more than the first one.
  const deploy::State last = deploy::read_state(folder).value_or(state);
  const deploy::Ending ending = deploy::end_workers(last, options.grace_s);
  if (ending.asked > 0) say(fmt::format("{} ended", base::counted(ending.asked, "worker")));
  if (ending.killed > 0)
    say(fmt::format("{} killed", ending.killed == 1 ? "1 process" : fmt::format("{} processes", ending.killed)));
  if (ending.left > 0) {
    throw Error(Errc::system, fmt::format("{} processes of the deployment could not be ended", ending.left),
                "run 'charm deploy down' as the user who owns them, or as root");
  }
  deploy::remove_state(folder);
  say("down; logs and data stay in " + folder);
  return exit_done;
}

}  // namespace charm::cli
