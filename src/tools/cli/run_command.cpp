// `charm run`: starts an unmodified program and places its threads by the runtime's policies while it runs. The program
// is a child that behaves as if the shell had started it (tools/os/child.hpp); an Attachment places its threads
// meanwhile (tools/attach/attachment.hpp).
#include <charm/error.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <optional>
#include <ostream>
#include <utility>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "os/files/output_file.hpp"
#include "os/processes/processes.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/affinity.hpp"
#include "tools/cli/attach/memory.hpp"
#include "tools/cli/attach/mirror.hpp"
#include "tools/cli/attach/pinned.hpp"
#include "tools/cli/attach/steered.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/malloc/preload.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/preloading.hpp"
#include "tools/os/affinity_restorer.hpp"
#include "tools/os/child.hpp"
#include "tools/os/memory_file.hpp"
#include "tools/os/process_claim.hpp"
#include "tools/width/store.hpp"

namespace charm::cli {
namespace {

int not_started(const AttachOptions& options, int error, Session& session) {
  const std::string& name = options.program.front();
  const bool missing = error == ENOENT;
  std::string remedy = missing            ? "check its name and PATH, or give its path"
                       : error == EACCES  ? "is it a program, and may you execute it?"
                       : error == ENOEXEC ? "a script needs a first line as #!/bin/sh"
                                          : "see exec(3)";
  session.err << "charm: cannot run '" << name << "': " << std::strerror(error) << "; " << remedy << '\n';
  return missing ? 127 : 126;
}

struct RunArguments : AttachOptions {
  std::string width;  // a number, "auto", or empty
  bool malloc = false;
  WeightOptions weights;
  std::string traffic;  // where it is read, so that the weights follow it; empty: nowhere
  std::string malloc_statistics;
  MemoryWish memory_wish;
  std::vector<std::string> mirrored;  // files
};

os::Child::Start start_of(const RunArguments& options, const Prepared& prepared,
                          const std::optional<MallocPreload>& malloc, const Mirror& mirror) {
  os::Child::Start start;
  start.words = options.program;
  for (const auto& pool : prepared.pools) {
    if (pool.argument)
      start.words.insert(start.words.begin() + 1, pool.name + "=" + pool.value);
    else
      start.variables.emplace_back(pool.name, pool.value);
  }
  if (malloc) {
    for (const auto& variable : malloc->variables()) start.variables.push_back(variable);
    preload(malloc->library(), start.variables);
  }
  if (!mirror.library.empty()) {
    start.variables.emplace_back("CHARM_MIRROR_FILES", mirror.files);
    preload(mirror.library, start.variables);
  }
  return start;
}

/// This process becomes the program, on the cpus of the plan (--once). \returns the exit code if it cannot.
int become(const RunArguments& options, const Prepared& prepared, const ProgramMemory& memory,
           const std::optional<MallocPreload>& malloc, const Mirror& mirror, Session& session) {
  if (prepared.plan.cpus != prepared.came_with && !os::bind_this_thread(prepared.plan.cpus)) {
    throw Error(Errc::system, "the kernel refused to bind to cpus " + prepared.plan.cpus.to_text(),
                "look at the cgroup's cpuset, or choose others by --cpus");
  }
  memory.set();
  const os::Child::Start start = start_of(options, prepared, malloc, mirror);
  for (const auto& [name, value] : start.variables) ::setenv(name.c_str(), value.c_str(), 1);
  if (!options.quiet) {
    for (const auto& note : prepared.notes) session.err << "charm: " << note << '\n';
  }
  session.out.flush();
  return not_started(options, os::become_found(start.words), session);
}

void check_descriptor(const AttachOptions& options) {
  if (options.progress_fd == 0 || !os::is_inherited(options.progress_fd)) return;
  throw Error(Errc::bad_input, "--progress-fd: descriptor " + std::to_string(options.progress_fd) + " is open already",
              "choose another, or close it");
}

/// What --width says becomes --workers and, where `auto` has found a policy and the user has named none, --policy.
/// \return a note for the user; empty: none.
std::string apply_width(RunArguments& options, std::size_t cpus) {
  if (options.width.empty()) return "";
  if (options.width != "auto") {
    char* end = nullptr;
    const long number = std::strtol(options.width.c_str(), &end, 10);
    if (*end != '\0' || number < 1 || number > 65536)
      throw Error(Errc::bad_input, "--width: '" + options.width + "' is neither auto nor a number of threads",
                  "give auto, or a number from 1 to 65536");
    options.workers = static_cast<int>(number);
    return "";
  }
  const std::string key = width::program_key(options.program);
  const auto stored = width::find_stored(width::store_path(), key);
  if (!stored)
    return "no number of threads is stored for " + key +
           "; it gets one for each core (charm advise threads --store finds one)";
  if (stored->cpus != static_cast<int>(cpus))
    return "the number of threads that is stored for " + key + " was found on " + std::to_string(stored->cpus) +
           " cpus, and there are " + std::to_string(cpus) +
           "; it gets one for each core (charm advise threads --store)";
  options.workers = stored->threads;
  if (options.policy.empty()) options.policy = stored->policy;
  return base::counted(static_cast<std::size_t>(stored->threads), "thread") + ", as charm advise threads found on " +
         stored->date;
}

void refuse_contradictions(const RunArguments& options) {
  if (options.json && !options.dry_run) {
    throw Error(Errc::bad_input, "--json: stdout is the program's", "write the summary with --report FILE");
  }
  if (options.once && !options.pin_threads.empty()) {
    throw Error(Errc::bad_input, "--once goes away before the program has threads to pin",
                "leave out --once, or give --cpus instead of --pin-threads");
  }
  if (options.once && !options.traffic.empty()) {
    throw Error(Errc::bad_input, "--malloc-live: with --once nobody stays to read the traffic",
                "leave one of the two out, or run 'charm malloc sample' beside it");
  }
  if (options.once && !options.report.empty()) {
    throw Error(Errc::bad_input, "--report: with --once nobody stays to write it", "leave one of the two out");
  }
}

void add_malloc(const RunArguments& options, Prepared& prepared, std::optional<MallocPreload>& malloc) {
  if (!options.malloc) return;
  malloc.emplace(options.weights, static_cast<int>(prepared.plan.machine.cores.size()), options.traffic,
                 options.malloc_statistics);
  if (!malloc->note().empty()) prepared.notes.push_back(malloc->note());
  if (const std::string why = why_not_preloaded(options.program.front(), "--malloc", malloc->library()); !why.empty())
    prepared.notes.push_back("malloc: " + why + ", so its own malloc serves it");
}

/// \returns how the program ended; nothing where it was not started, with `code` to exit with.
std::optional<os::Ended> run(RunArguments options, Session& session, int& code) {
  refuse_contradictions(options);
  check_descriptor(options);
  if (!options.report.empty()) os::check_writable(options.report);
  if (const std::string& file = options.malloc_statistics; !file.empty() && file != "stderr") os::check_writable(file);
  const std::string width_note = apply_width(options, os::allowed_cpus().size());
  Prepared prepared = prepare(options, os::allowed_cpus(), false);
  if (!width_note.empty()) prepared.notes.push_back(width_note);
  const ProgramMemory memory = program_memory(options.memory_wish, prepared.plan.machine, prepared.notes);
  const Mirror mirror = mirror_of(options.mirrored, prepared.plan.machine, options.program.front(), prepared.notes);
  if (options.dry_run) {
    // The program may exist only on the described machine.
    const int error = prepared.whole.machine.is_live() ? os::cannot_run(options.program.front()) : 0;
    code = error != 0 ? not_started(options, error, session) : show_plan(options, prepared, session);
    return std::nullopt;
  }

  if (const std::string trouble = os::proc_trouble(); !options.once && !trouble.empty()) {
    prepared.notes.push_back("no thread can be seen, so none is placed: " + trouble +
                             "; mount -t proc proc /proc shows this one's");
  }

  std::optional<MallocPreload> malloc;
  add_malloc(options, prepared, malloc);
  if (options.once) {
    code = become(options, prepared, memory, malloc, mirror, session);
    return std::nullopt;
  }
  // Before there is anything to undo: a program that ends before it is known what it is needs none.
  std::optional<os::AffinityRestorer> affinity_restorer;
  const bool bound = prepared.plan.cpus != prepared.came_with;
  if (bound) affinity_restorer.emplace(prepared.came_with);
  os::Child::Start start = start_of(options, prepared, malloc, mirror);
  // What is leased here is not to be leased once more inside.
  if (prepared.lease) start.variables.emplace_back("CHARM_SHARE", "off");
  std::unique_ptr<attach::ProgressSource> progress = progress_source(options);
  const auto* written = dynamic_cast<const attach::WrittenProgress*>(progress.get());
  start.prepare = [&] {
    if (bound) os::bind_this_thread(prepared.plan.cpus);
    memory.set();
    if (written != nullptr) written->file().give_as(options.progress_fd);
  };
  const double begun = base::monotonic_seconds();
  std::unique_ptr<os::Child> child;
  try {
    child = std::make_unique<os::Child>(start);
  } catch (const os::Child::NotStarted& failed) {
    code = not_started(options, failed.error, session);
    return std::nullopt;
  }
  // Places its threads until it ends.
  const auto attend = [&](auto& placing) {
    std::optional<os::Ended> ended;
    while (!(ended = child->attend())) {
      if (malloc) malloc->step();
      placing.step_and_wait(child->descriptor(), malloc ? malloc->rest() : 10);
    }
    placing.restore();
    AttachResult outcome = placing.outcome(options.program.front());
    outcome.ended = ended;
    outcome.seconds = base::monotonic_seconds() - begun;
    placing.write_summary(options, prepared, outcome, session);
    return ended;
  };
  // A program in the program may be given to charm, too; then its masks are that one's (the program's masks stay,
  // tools/attach/thread_placer.hpp).
  const auto claim = os::ProcessClaim::make(os::identity(child->pid()), options.children);
  if (!prepared.pins.empty()) {
    if (!affinity_restorer) affinity_restorer.emplace(prepared.came_with);
    affinity_restorer->watch_over(child->pid());
    Pinned pinned(options, prepared, child->pid(), false);
    return attend(pinned);
  }
  Steered steered(options, prepared, child->pid(), false, std::move(progress));
  steered.restore_by(affinity_restorer);
  steered.system().before_binding([&] {
    if (affinity_restorer) return;
    affinity_restorer.emplace(prepared.came_with);
    steered.restore_by(affinity_restorer);
  });
  return attend(steered);
}

void declare_run(CLI::App& app, Session& session) {
  auto options = std::make_shared<RunArguments>();
  declare_shared(app, *options);
  app.add_option_function<std::string>(
         "--mem",
         [options](const std::string& text) {
           options->memory_wish = memory_wish(text);
           options->memory = options->memory_wish.word;
         },
         "Where its memory comes from: keep what it is, local to each thread, the nodes of its cpus in turn or alone, "
         "or all nodes by the kernel's weights (=auto and =FILE say what these should be)")
      ->type_name("{keep,local,interleave,bind,weighted}")
      ->check(no_memory_wish)
      ->default_str("keep");
  CLI::Option* with_malloc = app.add_flag("--malloc", options->malloc,
                                          "Under libcharm_malloc.so: huge blocks are spread over nodes by bandwidth");
  one_of(app.add_option("--malloc-policy", options->weights.policy, "How they are spread [exact]"), malloc_policies())
      ->needs(with_malloc);
  file_path(
      app.add_option("--malloc-model", options->weights.model, "Model of the buses [what charm malloc profile stored]"))
      ->needs(with_malloc);
  not_empty(app.add_option("--malloc-live", options->traffic,
                           "The weights follow the memory traffic: auto, or a source of charm malloc sample"))
      ->type_name("KIND")
      ->needs(with_malloc);
  not_empty(app.add_option("--malloc-stats", options->malloc_statistics,
                           "Every process writes at its end what was placed: stderr, or a file to append to"))
      ->type_name("FILE")
      ->needs(with_malloc);
  file_path(app.add_option("--mirror", options->mirrored,
                           "Files that the program maps to read: each of its processes gets a copy on its node"))
      ->type_name("FILE")
      ->allow_extra_args(false);
  whole_number(app.add_option("--progress-fd", options->progress_fd,
                              "Descriptor, open in the program, to which it writes that number from time to time"),
               3, 1023)
      ->excludes("--progress")
      ->excludes("--metric");
  whole_number(app.add_option("--workers", options->workers,
                              "Number of threads that compute: pools are told to make so many, and --dry-run places "
                              "them [OMP_NUM_THREADS, else one for each core]"),
               1, 65536)
      ->excludes("--pin-threads");
  app.add_flag("--no-size", options->no_size, "Do not tell the program's thread pools how many threads to make");
  not_empty(
      app.add_option("--width", options->width,
                     "The same by a number, or auto: what charm advise threads --store has found for the program"))
      ->type_name("N|auto")
      ->excludes("--workers")
      ->excludes("--pin-threads")
      ->excludes("--no-size");
  some_of(app.add_option("--no-size-for", options->left_out, "Do not tell these kinds of pools"), attach::pool_kinds());
  app.add_flag("--dry-run", options->dry_run, "Say what would be done, and do nothing");
  app.add_flag("--json", options->json, "With --dry-run: JSON on stdout");
  app.add_option("program", options->program, "The program and its arguments, best behind --")->required();
  app.positionals_at_end();
  app.callback([&session, options] {
    session.action = [&session, options] {
      int code = exit_done;
      const auto ended = run(*options, session, code);
      return ended ? os::end_like(*ended) : code;
    };
  });
}

}  // namespace

Command run_entry() {
  return {"run", "Run a program and place its threads while it runs", "  charm run --policy local -- make -j8",
          declare_run};
}

}  // namespace charm::cli
