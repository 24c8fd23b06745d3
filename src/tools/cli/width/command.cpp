#include "tools/cli/width/command.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <memory>
#include <optional>
#include <ostream>
#include <random>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "controller/controller.hpp"
#include "os/files/output_file.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/compare/text.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/report/width_page.hpp"
#include "tools/cli/width/programs.hpp"
#include "tools/cli/width/text.hpp"
#include "tools/compare/disturbance.hpp"
#include "tools/width/store.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

struct AdviseThreadsArguments {
  OutputOptions output;
  std::string widths, policies;
  std::vector<std::string> variables;
  std::optional<TellBy> by;
  std::optional<int> most;
  std::size_t rounds = 15;
  double threshold = 1;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> html;
  std::string input;
  bool show_output = false;
  bool store = false;
  std::vector<std::string> for_help;
};

/// "1,2,4", the most first. \throws Error (bad_input)
std::vector<int> widths_named(const std::string& text) {
  std::vector<int> widths;
  for (const std::string& word : split_list(text)) {
    char* end = nullptr;
    const long width = std::strtol(word.c_str(), &end, 10);
    if (word.empty() || *end != '\0' || width < 1 || width > 65536)
      throw Error(Errc::bad_input, "--threads: '" + word + "' is no number of threads",
                  "give numbers from 1 to 65536, as in --threads 1,2,4");
    widths.push_back(static_cast<int>(width));
  }
  std::sort(widths.begin(), widths.end(), std::greater<>());
  widths.erase(std::unique(widths.begin(), widths.end()), widths.end());
  return widths;
}

ProgramAsked asked_of(const AdviseThreadsArguments& options, const std::vector<std::string>& words) {
  ProgramAsked asked;
  asked.words = after_dashes(words);
  if (asked.words.empty())
    throw Error(Errc::bad_input, "no program to run", "give it after '--', as in 'charm advise threads -- ./program'");
  const bool placed = has_place_for_threads(asked.words);
  asked.by = options.by.value_or(placed ? TellBy::arguments : TellBy::variables);
  if (asked.by == TellBy::arguments && !placed)
    throw Error(Errc::bad_input, "--by arguments: no argument has a place for the number of threads",
                "write {threads} where it belongs, as in './program --threads {threads}'");
  if (options.store && asked.by != TellBy::variables)
    throw Error(Errc::bad_input, "--store: 'charm run --width auto' tells a program its number of threads by variables",
                "leave out {threads} and --by, or --store");
  asked.variables = options.variables.empty() ? usual_variables() : options.variables;
  asked.tool = os::program_path().empty() ? "charm" : os::program_path();
  return asked;
}

int advise_threads(const AdviseThreadsArguments& options, Session& session) {
  const auto settings = base::resolve({});
  const Machine machine = topology::discover_quietly(topology::source_of(settings)).machine;
  const ProgramAsked asked = asked_of(options, session.words);
  width::Request request;
  request.widths =
      options.widths.empty() ? width::widths_of(machine, options.most.value_or(0)) : widths_named(options.widths);
  if (!options.policies.empty())
    request.policies = split_list(options.policies);
  else if (machine.chiplets.size() > 1 && asked.by != TellBy::mask)
    request.policies = {"local", "distributed"};
  request.program = [&](const width::Level& level) { return program_at(asked, machine, level); };
  request.rounds = options.rounds;
  request.seed = options.seed.value_or(std::random_device{}());
  request.rules.threshold = options.threshold / 100;
  if (options.html) os::check_writable(*options.html);
  if (options.store) width::find_stored(width::store_path(), "");  // a file that cannot be read is said before all runs

  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  compare::Callbacks callbacks;
  callbacks.launch = [&](const compare::Program& program, compare::Purpose) {
    progress.detail("running " + shown_command(program, 60));
    compare::Sample run;
    run.child = os::run_child({program.words, options.input, options.show_output});
    return run;
  };
  callbacks.now = base::monotonic_seconds;
  progress.step(fmt::format("trying {} numbers of threads", request.widths.size()));
  const os::MachineWatch watch;
  width::Advice advice = width::find_width(request, callbacks);
  const auto around = watch.so_far();
  if (!advice.finalists.empty()) advice.last.disturbances = compare::disturbances(around, advice.last);
  progress.clear();
  if (advice.interrupted != 0) {
    std::signal(advice.interrupted, SIG_DFL);
    raise(advice.interrupted);
  }
  if (advice.failed) {
    compare::Outcome shown;
    shown.series.push_back({advice.failed_program, {}, {}});
    shown.failed = advice.failed;
    shown.failed->program = 0;
    session.err << "charm: " << failed_text(shown);
    return exit_usage;
  }
  const Host host = describe_host(machine, settings);
  if (options.html) os::write_whole(*options.html, width_page(host, advice, session.command_line));
  if (options.store && !advice.finalists.empty()) {
    const width::Level& level = advice.finalists[advice.as_fast.value_or(advice.best)];
    width::store(width::store_path(), width::program_key(asked.words),
                 {level.threads, level.policy, static_cast<int>(machine.allowed_cpus.size()), host.date});
  }
  session.out << (options.output.json ? width_json(host, advice)
                                      : width_text(advice, colour_on_stdout(options.output.colour)));
  return exit_done;
}

}  // namespace

void declare_advise_threads(CLI::App& advise_app, Session& session) {
  auto options = std::make_shared<AdviseThreadsArguments>();
  CLI::App* app = advise_app.add_subcommand("threads", "How many threads a program should have: by running it");
  not_empty(app->add_option("--threads", options->widths,
                            "Try these numbers [powers of two, and the cores of a chiplet, a node, a socket and all]"))
      ->type_name("LIST");
  whole_number(app->add_option("--most", options->most, "Try no more threads than that [one for each cpu]"), 1, 65536);
  std::vector<std::string> policies;
  for (const auto name : controller::policy_names()) policies.emplace_back(name);
  some_of(app->add_option("--policies", options->policies,
                          "Try these policies, too, with the two best numbers [local,distributed on several chiplets]"),
          policies);
  app->add_option_function<std::string>(
         "--by", [options](const std::string& word) { options->by = base::choice_named<TellBy>(word); },
         "How the program is told [arguments where they have {threads} or {}, else variables]")
      ->check(CLI::IsMember(base::words_of<TellBy>()));
  not_empty(app->add_option("--variable", options->variables,
                            "Set this variable instead of OMP_NUM_THREADS, GOMAXPROCS, RAYON_NUM_THREADS and others"))
      ->type_name("NAME")
      ->allow_extra_args(false);
  whole_number(app->add_option("--runs", options->rounds, "Runs of each in the last comparison [15]"), 2, 10000);
  number_within(app->add_option("--threshold", options->threshold, "Ignore differences below this percentage [1]"), 0,
                1000)
      ->type_name("PCT");
  whole_number(app->add_option("--seed", options->seed, "Seed of the random order, to repeat it [random]"), 0,
               INT64_MAX);
  file_path(app->add_option("--html", options->html, "Write a self-contained HTML page there"));
  file_path(app->add_option("--input", options->input, "The program's stdin [nothing]"));
  app->add_flag("--show-output", options->show_output, "Send the program's output to stderr; else it is hidden");
  app->add_flag("--store", options->store, "Keep the number for 'charm run --width auto' of the same program");
  add_output_options(*app, options->output);
  app->add_option("program", options->for_help, "-- program [arguments]")->type_name("");
  app->footer(
      "Example:\n  charm advise threads -- ./solver input\n  charm advise threads -- ./program --threads {threads}\n"
      "  charm advise threads --by mask -- ./uses-onetbb");
  app->callback([&session, options] {
    session.failure_code = exit_usage;
    session.action = [&session, options] { return advise_threads(*options, session); };
  });
}

}  // namespace charm::cli
