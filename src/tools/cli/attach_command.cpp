// `charm attach`: does what `charm run` does to a program that runs already, until the program ends or the user stops
// `charm`; then its threads get back the masks that they had.
#include <charm/error.hpp>

#include <memory>
#include <optional>

#include "os/files/output_file.hpp"
#include "os/processes/processes.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/affinity.hpp"
#include "tools/cli/attach/pinned.hpp"
#include "tools/cli/attach/steered.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/options.hpp"
#include "tools/os/affinity_restorer.hpp"
#include "tools/os/child.hpp"
#include "tools/os/process_claim.hpp"

namespace charm::cli {
namespace {

constexpr double once_s = 2;    // then it is known which threads are workers, and they are placed
constexpr double look_s = 0.2;  // whether it has ended

/// \throws Error (bad_input) with the reason where this process may not be steered.
os::ProcessIdentity find(const os::Processes& processes, int pid) {
  const std::string name = "process " + std::to_string(pid);
  if (const std::string trouble = os::proc_trouble(); !trouble.empty()) {
    throw Error(Errc::bad_input, name + " cannot be seen: " + trouble, "mount -t proc proc /proc shows this one's");
  }
  const auto status = processes.status(pid);
  if (status && status->state == 'Z') {
    throw Error(Errc::bad_input, name + " has ended, and its parent has not yet asked for its exit code",
                "choose a program that runs");
  }
  if (!status || status->state == 'X') {
    throw Error(Errc::bad_input, "there is no " + name, "ps -e lists those that there are");
  }
  if (const auto process = processes.process_of(pid); process && *process != pid) {
    throw Error(Errc::bad_input, std::to_string(pid) + " is a thread of process " + std::to_string(*process),
                "attach to that");
  }
  if (status->kernel) {
    throw Error(Errc::bad_input, name + " is a part of the kernel", "choose a program");
  }
  if (pid == os::process_id()) {
    throw Error(Errc::bad_input, name + " is this command itself", "choose another");
  }
  const auto owner = processes.owner(pid);
  if (os::user_id() != 0 && owner && *owner != os::user_id()) {
    throw Error(Errc::bad_input, name + " belongs to user " + std::to_string(*owner),
                "run charm as that user, or as root");
  }
  const os::ProcessIdentity process{pid, status->started};
  if (const auto holder = os::ProcessClaim::holder(processes, process)) {
    throw Error(Errc::bad_input, name + " is placed by charm already (process " + std::to_string(*holder) + ")",
                "end that one first, or let it go on");
  }
  return process;
}

int attach(const AttachOptions& options, Session& session) {
  if (options.json && !options.dry_run) {
    throw Error(Errc::bad_input, "--json goes with --dry-run", "write the summary with --report FILE");
  }
  if (options.memory != attach::Memory::keep) {
    throw Error(Errc::bad_input, "--mem: nobody can set another process's memory policy",
                "start the program with charm run --mem, or move its pages with migratepages(8)");
  }
  if (!options.report.empty()) os::check_writable(options.report);
  const os::Processes processes;
  const os::ProcessIdentity process = find(processes, options.pid);
  const CpuSet mask = os::allowed_cpus_of(options.pid);
  // Whether masks may be set is found out before anything is changed: by setting what is there.
  if (mask.empty() || os::bind_thread(options.pid, mask) != 0) {
    throw Error(Errc::bad_input, "the threads of process " + std::to_string(options.pid) + " cannot be bound",
                "run charm as its user, or give it CAP_SYS_NICE");
  }
  Prepared prepared = prepare(options, mask, true);
  if (options.dry_run) return show_plan(options, prepared, session);

  const auto claim = os::ProcessClaim::make(process, options.children);
  std::optional<os::AffinityRestorer> affinity_restorer;
  if (!options.once) affinity_restorer.emplace(mask);
  os::EndSignals signals;
  const std::string title = processes.name(options.pid, options.pid) + " (" + std::to_string(options.pid) + ")";
  // Places its threads until it ends, a signal arrives or, with --once, `once` says that they are placed.
  const auto attend = [&](auto& placing, auto once) {
    bool alive = true;
    while (signals.arrived() == 0 && (alive = processes.alive(process)) && !(options.once && once()))
      placing.step_and_wait(signals.descriptor(), look_s);
    if (!options.once) placing.restore();
    AttachResult outcome = placing.outcome(title);
    if (!alive) outcome.ended = os::Ended{};
    placing.write_summary(options, prepared, outcome, session);
    return exit_done;
  };
  if (!prepared.pins.empty()) {
    if (affinity_restorer) affinity_restorer->watch_over(options.pid);
    Pinned pinned(options, prepared, options.pid, true);
    if (options.once) pinned.step();
    return attend(pinned, [] { return true; });
  }
  Steered steered(options, prepared, options.pid, true, progress_source(options));
  steered.restore_by(affinity_restorer);
  return attend(steered, [&] { return steered.seconds() >= once_s; });
}

void declare_attach(CLI::App& app, Session& session) {
  auto options = std::make_shared<AttachOptions>();
  declare_shared(app, *options);
  const auto refuse_memory = [&memory = options->memory](const std::string& word) {
    memory = base::choice_named<attach::Memory>(word).value_or(attach::Memory::bind);
  };
  app.add_option_function<std::string>("--mem", refuse_memory)->group("");  // only to say why not
  app.add_flag("--dry-run", options->dry_run, "Say what would be done, and do nothing");
  app.add_flag("--json", options->json, "With --dry-run: JSON on stdout");
  process_id(app.add_option("pid", options->pid, "The process")->required());
  app.callback([&session, options] { session.action = [&session, options] { return attach(*options, session); }; });
}

}  // namespace

Command attach_entry() {
  return {"attach", "Place the threads of a program that runs already, until Ctrl-C",
          "  charm attach --policy local $(pidof postgres)", declare_attach};
}

}  // namespace charm::cli
