// `charm compare`: two programs, or one under several policies, run in turns and compared; the answer is a sentence, an
// exit code, and on request JSON or a page. All failures have exit code 2 here, since 1 is an answer.
#include <charm/error.hpp>

#include <algorithm>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <optional>
#include <ostream>
#include <random>
#include <string>
#include <vector>

#include <fmt/format.h>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/settings.hpp"
#include "controller/controller.hpp"
#include "os/files/output_file.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/bench/host.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/compare/command_line.hpp"
#include "tools/cli/compare/export.hpp"
#include "tools/cli/compare/json.hpp"
#include "tools/cli/compare/text.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/failure.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/report/compare_page.hpp"
#include "tools/compare/counting.hpp"
#include "tools/compare/counting_cost.hpp"
#include "tools/compare/disturbance.hpp"
#include "tools/compare/printed_time.hpp"
#include "tools/compare/run.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

struct CompareOptions {
  OutputOptions output;
  std::string policies;
  std::optional<std::size_t> runs;
  std::optional<double> seconds;
  std::size_t warm_ups = 1;
  double threshold = 1;
  std::optional<std::uint64_t> seed;
  std::optional<std::string> html, csv, runs_csv, markdown;
  std::string input;
  bool show_output = false;
  bool ignore_failure = false;
  bool check_output = false;
  std::string metric;
  bool rate = false;
  std::vector<std::string> for_help;  // what CLI11 sees of the programs; it would take "[x]" apart
};

constexpr std::size_t usual_runs = 15;
constexpr std::size_t most_timed_runs = 10000;

int exit_code_of(compare::Finding finding) {
  switch (finding) {
    case compare::Finding::same:
      return 0;
    case compare::Finding::first_wins:
      return 1;
    case compare::Finding::second_wins:
      return 3;
    case compare::Finding::unknown:
      break;
  }
  return 4;
}

std::string own_path() {
  const std::string path = os::program_path();
  return path.empty() ? "charm" : path;
}

bool differing_outputs(const compare::Outcome& outcome) {
  for (std::size_t p = 1; p < outcome.series.size(); ++p) {
    if (compare::agreement(outcome, p) == compare::Agreement::differs) return true;
  }
  return false;
}

void check_input(const std::string& path) {
  if (path.empty()) return;
  // Each run reads it from its beginning, which a pipe does not have; opening one might also wait for ever.
  std::error_code error;
  if (std::filesystem::is_fifo(path, error))
    throw Error(Errc::bad_input, "--input: '" + path + "' is a pipe, and each run reads the input from its beginning",
                "give a file");
  if (std::filesystem::is_directory(path, error) || !std::ifstream(path))
    throw Error(Errc::bad_input, "--input: cannot read '" + path + "'", "give an existing file");
}

compare::Request request_of(const CompareOptions& options, const std::vector<std::string>& words) {
  compare::Request request;
  const auto programs = after_dashes(words);
  PerProgram asked;
  asked.names = typed_values(words, "--name");
  asked.prepare = typed_values(words, "--prepare");
  asked.setup = typed_values(words, "--setup");
  asked.cleanup = typed_values(words, "--cleanup");
  for (const auto& scan : typed_values(words, "--scan")) asked.scans.push_back(compare::parse_scan(scan));
  request.programs =
      expanded(options.policies.empty() ? separate_programs(programs)
                                        : under_policies(own_path(), split_list(options.policies), programs),
               asked);
  request.seconds = options.seconds;
  request.rounds = options.runs.value_or(options.seconds ? most_timed_runs : usual_runs);
  // Two runs show whether a program writes the same whenever it runs.
  request.warm_ups = options.check_output ? std::max<std::size_t>(options.warm_ups, 2) : options.warm_ups;
  request.seed = options.seed.value_or(std::random_device{}());
  request.ignore_failure = options.ignore_failure;
  request.rules.threshold = options.threshold / 100;
  return request;
}

/// Lets go of the signals' usual way only now that the terminal and the child are in order.
[[noreturn]] void end_by(int signal) {
  std::signal(signal, SIG_DFL);
  raise(signal);
  std::_Exit(128 + signal);
}

/// What counting adds to the start of a program that does nothing. It runs no program of the user's.
double cost_of_start(const compare::Counting& counting) {
  constexpr int pairs = 5;
  if (counting.names().empty()) return 0;
  std::vector<os::ChildResult> counted, plain;
  for (int pair = 0; pair < pairs; ++pair) {
    for (auto* runs : {&counted, &plain}) {
      const auto events = runs == &counted ? counting.open() : std::nullopt;
      runs->push_back(os::run_child({{"true"}}));
      if (runs->back().start_error != 0) return 0;
      if (runs->back().interrupted != 0) end_by(runs->back().interrupted);
    }
  }
  return compare::counting_cost(counted, plain);
}

compare::Outcome measure(const CompareOptions& options, const compare::Request& request,
                         const compare::Counting& counting, Session& session) {
  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  bool decided = false;  // whether to count, as soon as it is known how long the programs take
  std::string dear;      // why not, although it could be done
  double shortest = 0;   // run to warm up
  constexpr std::size_t most_written = std::size_t{64} << 20U;
  std::optional<compare::PrintedTime> printed;
  if (!options.metric.empty()) printed.emplace(options.metric, options.rate);
  compare::Callbacks callbacks;
  callbacks.launch = [&](const compare::Program& program, compare::Purpose purpose) {
    const bool measured = purpose == compare::Purpose::measure;
    if (measured && !decided) {
      dear = compare::too_dear(cost_of_start(counting), shortest);
      decided = true;
    }
    const auto events = measured && dear.empty() ? counting.open() : std::nullopt;
    compare::Sample run;
    os::ChildRequest child{program.words, options.input, options.show_output, options.check_output && !measured};
    if (printed) child.output_bytes = child.tail_bytes = most_written;
    run.child = os::run_child(child);
    const double took = run.child.wall_s;
    const bool done = run.child.start_error == 0 && run.child.interrupted == 0 && run.child.signal == 0;
    if (printed && done && run.child.exit_code == 0)
      run.child.wall_s = printed->seconds_in(run.child.said + run.child.error_tail, program.name);
    if (events) run.counts = counting.read(*events);
    if (!measured) shortest = shortest > 0 ? std::min(shortest, took) : took;
    return run;
  };
  callbacks.shell = [&](const std::string& command) {
    return os::run_child({{"sh", "-c", command}, "", options.show_output});
  };
  callbacks.now = base::monotonic_seconds;
  std::size_t tenths = 0;
  callbacks.progress = [&](std::size_t done, std::size_t all, std::optional<double> left) {
    const std::string text = request.seconds ? fmt::format("comparing: run {}", done + 1)
                                             : fmt::format("comparing: run {} of {}", done + 1, all);
    // In a log a line for each tenth is enough.
    if (done == 0 || done * 10 / all > tenths) {
      tenths = done * 10 / all;
      progress.step(text);
    }
    progress.detail(left ? text + ", about " + base::format_seconds(*left) + " left" : text);
  };
  const os::MachineWatch watch;
  compare::Outcome outcome = compare::compare_programs(request, callbacks);
  const auto around = watch.so_far();
  if (dear.empty()) outcome.counters = counting.names();
  outcome.metric = options.metric;
  outcome.why_no_counters = counting.why_not().empty() ? dear : counting.why_not();
  outcome.disturbances = compare::disturbances(around, outcome);
  return outcome;
}

int run(const CompareOptions& options, Session& session) {
  const auto settings = base::resolve({});
  const compare::Request request = request_of(options, session.words);
  check_input(options.input);
  for (const auto& path : {options.html, options.csv, options.runs_csv, options.markdown}) {
    if (path) os::check_writable(*path);
  }
  const Machine machine = topology::discover_quietly(topology::source_of(settings)).machine;
  const bool count =
      settings.counters.choice != base::Counters::none && settings.counters.choice != base::Counters::software;
  const compare::Counting counting(machine, count, "the setting counters is " + base::counters_text(settings.counters));

  const compare::Outcome outcome = measure(options, request, counting, session);
  if (outcome.interrupted != 0) end_by(outcome.interrupted);
  if (outcome.failed) {
    session.err << "charm: " << failed_text(outcome);
    return exit_usage;
  }
  const bool outputs_differ = differing_outputs(outcome);
  const int code = outputs_differ ? exit_usage : exit_code_of(compare::overall(outcome));
  const Host host = describe_host(machine, settings);
  if (options.html) os::write_whole(*options.html, comparison_page(host, outcome, session.command_line));
  if (options.csv) os::write_whole(*options.csv, comparison_csv(outcome));
  if (options.runs_csv) os::write_whole(*options.runs_csv, runs_csv(outcome));
  if (options.markdown) os::write_whole(*options.markdown, comparison_markdown(outcome));
  if (options.output.json) {
    session.out << comparison_json(host, outcome, code);
  } else {
    session.out << comparison_text(outcome, colour_on_stdout(options.output.colour));
  }
  if (outputs_differ) session.err << "charm: the programs' outputs differ; compare programs that do the same\n";
  return code;
}

int action(const CompareOptions& options, Session& session) {
  try {
    return run(options, session);
  } catch (const std::exception& error) {
    session.err << judge(error).line << '\n';
    return exit_usage;
  }
}

std::vector<std::string> policy_words() {
  std::vector<std::string> names;
  for (const auto name : controller::policy_names()) names.emplace_back(name);
  return names;
}

void declare_compare(CLI::App& app, Session& session) {
  auto options = std::make_shared<CompareOptions>();
  whole_number(app.add_option("--runs", options->runs, "Measured runs of each program [15]"), 2, 100000);
  number_within(app.add_option("--time", options->seconds,
                               "Instead of a number of runs: measure for so many seconds, but 8 runs at least"),
                0, 1e6)
      ->type_name("SECONDS");
  whole_number(app.add_option("--warmup", options->warm_ups, "Unmeasured runs of each program before them [1]"), 0,
               100000);
  number_within(app.add_option("--threshold", options->threshold, "Ignore differences below this percentage [1]"), 0,
                1000)
      ->type_name("PCT");
  whole_number(app.add_option("--seed", options->seed, "Seed of the random order, to repeat it [random]"), 0,
               INT64_MAX);
  some_of(app.add_option("--policies", options->policies, "Compare one program under these policies"), policy_words());
  file_path(app.add_option("--html", options->html, "Write a self-contained HTML page there"));
  file_path(app.add_option("--csv", options->csv, "Write a row for each program there, as CSV"));
  file_path(app.add_option("--runs-csv", options->runs_csv, "Write every run there, in the order of time, as CSV"));
  file_path(app.add_option("--markdown", options->markdown, "Write the table there, as Markdown"));
  const auto several = [&](const char* name, const char* help, const char* type) {
    app.add_option(name, options->for_help, help)->type_name(type)->allow_extra_args(false);
  };
  several("--name", "Name of a program; give it once for each, in their order", "NAME");
  several("--scan", "Run each program for every value of a parameter: n=1,2,4 or n=1..8; {n} stands for it",
          "NAME=VALUES");
  several("--prepare", "Shell command before each run; once for all programs, or once for each", "COMMAND");
  several("--setup", "Shell command before all runs of a program", "COMMAND");
  several("--cleanup", "Shell command after all runs of a program", "COMMAND");
  app.add_flag("--check-output", options->check_output, "Say whether the programs write the same; if not, exit with 2");
  auto* metric = not_empty(app.add_option(
      "--metric", options->metric, "Compare the seconds that the programs print: a pattern whose group is the number"));
  metric->type_name("REGEX")->excludes(app.get_option("--check-output"));
  app.add_flag("--rate", options->rate, "With --metric: the number is a rate; what one of them takes is compared")
      ->needs(metric);
  file_path(app.add_option("--input", options->input, "The programs' stdin [nothing]"));
  app.add_flag("--show-output", options->show_output, "Send the programs' output to stderr; else it is hidden")
      ->excludes(metric);
  app.add_flag("--ignore-failure", options->ignore_failure, "Measure programs that end with an error, too");
  add_output_options(app, options->output);
  app.add_option("programs", options->for_help, "-- A [arguments] -- B [arguments] ...")->type_name("");
  app.callback([&session, options] {
    session.failure_code = exit_usage;
    session.action = [&session, options] { return action(*options, session); };
  });
}

}  // namespace

Command compare_entry() {
  return {"compare", "Which of two programs or more is faster, and how sure that is",
          "  charm compare -- ./old input -- ./new input\n"
          "  charm compare --scan threads=1,2,4 -- ./program --threads {threads}\n"
          "  charm compare --policies local,distributed -- ./program input\n"
          "  charm compare --metric 'Time in seconds *= *([0-9.]+)' -- ./cg.old -- ./cg.new",
          declare_compare};
}

}  // namespace charm::cli
