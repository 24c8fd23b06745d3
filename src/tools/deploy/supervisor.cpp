#include "tools/deploy/supervisor.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <filesystem>
#include <memory>
#include <random>
#include <system_error>
#include <utility>
#include <vector>

#include "os/files/output_file.hpp"
#include "os/files/shared_file.hpp"
#include "os/processes/this_process.hpp"
#include "tools/deploy/command.hpp"
#include "tools/deploy/coordinator.hpp"
#include "tools/deploy/ending.hpp"
#include "tools/deploy/state.hpp"
#include "tools/os/child.hpp"
#include "tools/os/local_port.hpp"
#include "tools/os/service.hpp"
#include "tools/os/wait_for_input.hpp"

namespace charm::deploy {
namespace {

using Clock = std::chrono::steady_clock;
using Say = std::function<void(const std::string&)>;

double seconds_since(Clock::time_point then) { return std::chrono::duration<double>(Clock::now() - then).count(); }

/// 128 bits from the kernel: nobody guesses it.
std::string random_id() {
  std::random_device device;
  std::string id;
  for (int i = 0; i < 32; ++i) id += "0123456789abcdef"[device() % 16U];
  return id;
}

std::string end_text(const os::ServiceEnded& ended) {
  return ended.signal != 0 ? "signal " + std::to_string(ended.signal) : "exit code " + std::to_string(ended.code);
}

std::optional<os::MemoryPolicy> policy_of(Memory memory) {
  switch (memory) {
    case Memory::bind:
      return os::MemoryPolicy::bind;
    case Memory::preferred:
      return os::MemoryPolicy::preferred;
    case Memory::weighted:
      return os::MemoryPolicy::weighted_interleave;
    case Memory::none:
      break;
  }
  return std::nullopt;
}

/// No second `up` in the same folder while it exists; the kernel ends it with the process.
class FolderLock {
 public:
  explicit FolderLock(const std::string& directory) : file_(os::SharedFile::open(directory + "/lock")), turn_(*file_) {
    if (turn_.granted()) return;
    throw Error(Errc::bad_input, "another 'charm deploy up' runs in '" + directory + "'",
                "end it with 'charm deploy down --dir " + directory + "', or give another --dir");
  }

 private:
  std::unique_ptr<os::SharedFile> file_;
  os::SharedFile::Turn turn_;
};

class Supervisor {
 public:
  Supervisor(const Plan& plan, const Target& target, const UpOptions& options, const Say& say)
      : options_(options),
        say_(say),
        backoffs_(plan.workers.size(), Backoff(options.backoff)),
        since_(plan.workers.size()) {
    state_.id = random_id();
    state_.boot = boot_id();
    state_.supervisor = os::this_process();
    state_.supervised = options.supervise;
    state_.target = std::string(target.name);
    state_.plan = plan;
    state_.workers.resize(plan.workers.size());
    for (const Worker& worker : plan.workers) {
      if (target.coordinator != nullptr && worker.name == coordinator_name) {
        Plan workers = plan;
        workers.workers.erase(workers.workers.begin());
        launches_.push_back(target.coordinator(worker, workers, options.target));
      } else {
        launches_.push_back(target.launch(worker, options.target));
      }
    }
    for (std::size_t w = 0; w < plan.workers.size(); ++w) {
      const bool runs_others = target.coordinator != nullptr && plan.workers[w].name == coordinator_name;
      state_.workers[w].listens = target.uses != "exec" || (!runs_others && names("{port}"));
    }
    state_.stop_signal = launches_.front().stop_signal;
    if (!launches_.front().not_as_root.empty() && os::user_id() == 0) {
      throw Error(Errc::bad_input, launches_.front().not_as_root, "name the user who is to run it with --user");
    }
  }

  /// A taken port would show as workers that fail again and again.
  void check_ports() const {
    for (std::size_t w = 0; w < launches_.size(); ++w) {
      const Worker& worker = state_.plan.workers[w];
      for (const auto& [port, used] : {std::pair(worker.port, state_.workers[w].listens),
                                       std::pair(worker.web_port, launches_[w].web_port || names("{web_port}"))}) {
        if (!used || os::port_is_free(port)) continue;
        throw Error(Errc::bad_input, "port " + std::to_string(port) + " of worker " + worker.name + " is taken",
                    "give another --port");
      }
    }
  }

  /// Everything that can be wrong is found before the first worker starts.
  void prepare() {
    for (std::size_t w = 0; w < launches_.size(); ++w) {
      const Worker& worker = state_.plan.workers[w];
      const Launch& launch = launches_[w];
      os::make_folder(worker.directory);
      write_files(worker, launch);
      if (launch.prepare.empty() || std::filesystem::exists(launch.prepared)) continue;
      say_(worker.name + ": " + launch.prepare.front());
      run_to_end(w, launch.prepare);
    }
  }

  void start_all() {
    write_state(state_);
    for (std::size_t w = 0; w < launches_.size(); ++w) {
      const std::string problem = start(w);
      if (problem.empty()) continue;
      stop();
      throw Error(Errc::system, "worker " + state_.plan.workers[w].name + " " + problem, "no worker was left running");
    }
    constexpr int looks = 100;  // nobody looks later
    for (int i = 0; i < looks && !options_.supervise && find_started_by_coordinator(); ++i) os::wait_for_input({}, 0.1);
  }

  Outcome supervise(os::EndSignals& signals) {
    constexpr double look_s = 0.1;
    for (;;) {
      std::array watched{os::WatchedFile{signals.descriptor()}};
      os::wait_for_input(watched, look_s);
      if (signals.arrived() != 0) {
        say_("ending the workers");
        stop();
        return Outcome::stopped;
      }
      collect();
      restart_due();
      find_started_by_coordinator();
      const auto phase_is = [](Phase phase) { return [phase](const WorkerState& w) { return w.phase == phase; }; };
      if (std::any_of(state_.workers.begin(), state_.workers.end(), phase_is(Phase::running)) ||
          std::any_of(state_.workers.begin(), state_.workers.end(), phase_is(Phase::waiting))) {
        continue;
      }
      const bool failed = std::any_of(state_.workers.begin(), state_.workers.end(), phase_is(Phase::failed));
      stop();
      return failed ? Outcome::failed : Outcome::finished;
    }
  }

 private:
  /// Whether the workers' command has this placeholder.
  [[nodiscard]] bool names(const char* word) const { return options_.target.exec.find(word) != std::string::npos; }

  void write_files(const Worker& worker, const Launch& launch) const {
    for (const File& file : launch.files) {
      const std::string path = worker.directory + "/" + file.path;
      file.secret ? os::replace_secret(path, file.text) : os::replace_whole(path, file.text);
    }
  }

  [[nodiscard]] os::ServiceStart service(std::size_t w, const std::vector<std::string>& words) const {
    const Worker& worker = state_.plan.workers[w];
    os::ServiceStart start;
    start.words = words;
    start.variables = launches_[w].variables;
    start.variables.emplace_back(marker, state_.id + "/" + worker.name + "/");
    start.folder = worker.directory;
    start.log = worker.directory + "/log";
    start.cpus = worker.cpus;
    start.memory = policy_of(worker.memory);
    start.nodes = worker.nodes;
    return start;
  }

  void run_to_end(std::size_t w, const std::vector<std::string>& words) const {
    const std::string& name = state_.plan.workers[w].name;
    try {
      const os::ProcessIdentity process = os::start_service(service(w, words));
      std::optional<os::ServiceEnded> ended;
      while (!(ended = os::service_ended(process.pid))) os::wait_for_input({}, 0.02);
      if (ended->signal == 0 && ended->code == 0) return;
      throw Error(Errc::system, words.front() + " of worker " + name + " ended with " + end_text(*ended),
                  "see " + state_.plan.workers[w].directory + "/log");
    } catch (const os::ServiceNotStarted& refused) {
      throw Error(Errc::system, "worker " + name + " " + refused.problem, "see 'charm deploy up --help'");
    }
  }

  [[nodiscard]] bool starts_itself(std::size_t w) const { return !launches_[w].words.empty(); }

  /// Workers that their coordinator starts are in its phase; their processes are found by their marker.
  void follow_coordinator() {
    for (std::size_t w = 1; w < launches_.size(); ++w) {
      if (starts_itself(w)) continue;
      WorkerState& worker = state_.workers[w];
      const WorkerState& coordinator = state_.workers.front();
      worker.phase = coordinator.phase;
      worker.restarts = coordinator.restarts;
      worker.last_end = coordinator.last_end;
      if (coordinator.phase == Phase::running) continue;
      kill_rest_of(state_, w);
      worker.process = {};
    }
  }

  /// \returns whether some are still to be found.
  bool find_started_by_coordinator() {
    bool changed = false, missing = false;
    for (std::size_t w = 1; w < launches_.size(); ++w) {
      WorkerState& worker = state_.workers[w];
      if (starts_itself(w) || worker.phase != Phase::running || worker.process.pid > 0) continue;
      const auto found = processes_of(state_, w);
      missing = missing || found.empty();
      if (found.empty()) continue;
      worker.process = found.front();
      changed = true;
      say_started(w);
    }
    if (changed) write_state(state_);
    return missing;
  }

  void say_started(std::size_t w) const {
    say_(state_.plan.workers[w].name + ": pid " + std::to_string(state_.workers[w].process.pid) + " on cpus " +
         state_.plan.workers[w].cpus.to_text());
  }

  /// \returns why it was not started; empty where it was.
  std::string start(std::size_t w) {
    if (!starts_itself(w)) return "";
    WorkerState& worker = state_.workers[w];
    std::string problem;
    try {
      worker.process = os::start_service(service(w, launches_[w].words));
      worker.phase = Phase::running;
      since_[w] = Clock::now();
      say_started(w);
    } catch (const os::ServiceNotStarted& refused) {
      problem = refused.problem;
    }
    follow_coordinator();
    write_state(state_);
    return problem;
  }

  void fail(std::size_t w, const std::string& why, double ran_s) {
    WorkerState& worker = state_.workers[w];
    const std::string& name = state_.plan.workers[w].name;
    worker.last_end = why;
    const double delay = backoffs_[w].failed_after(ran_s);
    worker.phase = delay < 0 ? Phase::failed : Phase::waiting;
    due_at(w) =
        Clock::now() + std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(std::max(delay, 0.0)));
    std::string text = name + ": ended with " + why + ", ";
    if (delay < 0) {
      text += "given up after " + std::to_string(options_.backoff.give_up) + " failures in a row";
    } else {
      const auto ms = static_cast<long>(delay * 1000);
      text += "starts again in " + std::to_string(ms / 1000) + "." + std::to_string(ms % 1000 / 100) + " s";
    }
    say_(text + "; see " + state_.plan.workers[w].directory + "/log");
  }

  Clock::time_point& due_at(std::size_t w) { return since_[w]; }  // one time a worker: since when, or until when

  void collect() {
    bool changed = false;
    for (std::size_t w = 0; w < state_.workers.size(); ++w) {
      WorkerState& worker = state_.workers[w];
      if (worker.phase != Phase::running || !starts_itself(w)) continue;
      const auto ended = os::service_ended(worker.process.pid);
      if (!ended) continue;
      changed = true;
      const std::size_t rest = kill_rest_of(state_, w);
      if (rest > 0) say_(state_.plan.workers[w].name + ": killed " + std::to_string(rest) + " of its processes");
      if (ended->signal == 0 && ended->code == 0) {
        worker.phase = Phase::finished;
        worker.last_end = end_text(*ended);
        say_(state_.plan.workers[w].name + ": finished");
        continue;
      }
      fail(w, end_text(*ended), seconds_since(since_[w]));
    }
    if (!changed) return;
    follow_coordinator();
    write_state(state_);
  }

  void restart_due() {
    for (std::size_t w = 0; w < state_.workers.size(); ++w) {
      WorkerState& worker = state_.workers[w];
      if (worker.phase != Phase::waiting || !starts_itself(w) || Clock::now() < due_at(w)) continue;
      ++worker.restarts;
      const std::string problem = start(w);
      if (problem.empty()) continue;
      fail(w, "a start that failed (" + problem + ")", 0);
      write_state(state_);
    }
  }

  void stop() {
    const Ending ending = end_workers(state_, options_.grace_s, [this] {
      for (std::size_t w = 0; w < state_.workers.size(); ++w) {
        const WorkerState& worker = state_.workers[w];
        if (worker.phase == Phase::running && starts_itself(w)) os::service_ended(worker.process.pid);
      }
    });
    if (ending.killed > 0) say_("killed " + std::to_string(ending.killed) + " processes that did not end when asked");
    remove_state(state_.plan.directory);
  }

  const UpOptions& options_;
  const Say& say_;
  State state_;
  std::vector<Launch> launches_;
  std::vector<Backoff> backoffs_;
  std::vector<Clock::time_point> since_;
};

void check_startable(const Plan& plan, const Target& target, const UpOptions& options) {
  if (!plan.live()) {
    throw Error(Errc::bad_input, "the plan is not for this machine alone: workers are started here",
                "plan without --from and CHARM_TOPOLOGY, or write files with 'charm deploy plan --target'");
  }
  if (target.launch == nullptr) {
    std::string names;
    for (const Target& each : targets()) {
      if (each.launch != nullptr) names += (names.empty() ? "" : " or ") + std::string(each.name);
    }
    throw Error(Errc::bad_config, "charm starts no target " + std::string(target.name),
                "take --target " + names + ", or write its files with 'charm deploy plan --target " +
                    std::string(target.name) + "'");
  }
  check_uses(target, options.target);
}

}  // namespace

Outcome bring_up(const Plan& workers, const Target& target, const UpOptions& given, const Say& say) {
  check_startable(workers, target, given);
  Plan plan = workers;
  UpOptions options = given;
  check_texts(plan, options.target);
  options.target.secret = random_id();
  if (target.coordinator != nullptr) {
    plan.workers.insert(plan.workers.begin(), coordinator_of(workers));
    options.target.coordinator = "127.0.0.1";
    options.target.coordinator_port = plan.workers.front().port;
  }
  Supervisor supervisor(plan, target, options, say);  // which finds out whether it can run them
  os::make_folder(plan.directory);
  os::require_own_folder(plan.directory);
  const FolderLock lock(plan.directory);
  if (const auto before = read_state(plan.directory)) {
    if (const auto alive = processes_of(*before); !alive.empty()) {
      throw Error(Errc::bad_input,
                  "'" + plan.directory + "' has " + std::to_string(alive.size()) +
                      " running processes of an earlier 'charm deploy up'",
                  "end them with 'charm deploy down --dir " + plan.directory + "'");
    }
  }
  supervisor.check_ports();
  for (const HostPlan& host : plan.hosts) {
    for (const std::string& note : host.notes) say("note: " + note);
  }
  if (!target.access.empty()) say("note: " + std::string(target.access));
  os::EndSignals signals;
  supervisor.prepare();
  supervisor.start_all();
  return options.supervise ? supervisor.supervise(signals) : Outcome::left_running;
}

}  // namespace charm::deploy
