// `charm evaluate`: the papers' experiments on this machine. Predictions are stored before anything runs, and each
// finished experiment at once, so that --resume goes on after Ctrl-C, a crash or a power cut.
#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "base/settings.hpp"
#include "controller/known_machines.hpp"
#include "counters/source.hpp"
#include "os/files/bounded_file.hpp"
#include "os/files/output_file.hpp"
#include "os/machine/cpu_identity.hpp"
#include "os/memory/memory.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/bench/elsewhere.hpp"
#include "tools/cli/bench/host.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/evaluate/text.hpp"
#include "tools/cli/malloc/source.hpp"
#include "tools/cli/options.hpp"
#include "tools/compare/disturbance.hpp"
#include "tools/evaluate/evaluate.hpp"
#include "tools/evaluate/host.hpp"
#include "tools/evaluate/json.hpp"
#include "tools/evaluate/judge.hpp"
#include "tools/evaluate/live.hpp"
#include "tools/evaluate/page.hpp"
#include "tools/evaluate/simulated.hpp"
#include "tools/machine_view/svg.hpp"
#include "tools/os/child.hpp"
#include "tools/os/system_placement.hpp"
#include "tools/sim/this_machine.hpp"
#include "topology/discovery.hpp"
#include "workloads/names.hpp"

namespace charm::cli {
namespace {

namespace fs = std::filesystem;
using evaluate::Evaluation;

struct EvaluateOptions {
  OutputOptions output;
  bool quick = false, full = false, list = false, resume = false, anyway = false;
  std::string only;
  std::string simulated;  ///< machine; empty: this one is measured
  double noise = 0.02;
  std::optional<std::string> folder;
  std::vector<std::string> compared;
};

constexpr const char* usual_folder = "charm-evaluation";
constexpr double quick_limit_s = 8 * 60;  // of measuring, so that all of it is done in ten minutes
constexpr double full_limit_s = 1e9;

std::string read_file(const std::string& path) {
  os::BoundedText file = os::read_bounded(path);
  if (!file.problem.empty()) throw Error(Errc::bad_input, "'" + path + "' " + file.problem, "give an evaluation.json");
  return std::move(file.text);
}

std::vector<std::string> names_in(const std::string& list) {
  return list.empty() ? std::vector<std::string>{} : split_list(list);
}

/// What `charm bench` can run, by its own declaration.
std::vector<std::string> benchmarks() {
  CLI::App app;
  std::ostream nowhere(nullptr);
  Session session{nowhere, nowhere, "", {}};
  bench_entry().declare(app, session);
  std::vector<std::string> names;
  for (const CLI::App* each : app.get_subcommands(nullptr)) names.push_back(each->get_name());
  return names;
}

struct Undertaking {
  evaluate::Context context;
  std::vector<const evaluate::Experiment*> chosen;
  Evaluation evaluation;
  base::Settings settings;
  std::string malloc_library;  ///< empty: there is none
};

Undertaking undertake(const EvaluateOptions& options, Session& session) {
  Undertaking all;
  all.chosen = evaluate::chosen(names_in(options.only));
  all.settings = base::resolve({});
  const Machine machine = topology::discover_quietly(topology::source_of(all.settings)).machine;
  const auto source = counters::Source::choose(all.settings, machine);
  const auto counting = source->describe();
  evaluate::Facts& facts = all.context.facts;
  facts.machine = machine;
  facts.vendor = machine.is_live() ? os::read_cpu_identity().vendor : std::string(controller::maker_of(machine.name));
  facts.counters = counting.kind == counters::Description::Kind::hardware;
  facts.fills = evaluate::separates_fills(counting, facts.why_no_fills);
  facts.runtimes = workloads::runtimes();
  facts.available_bytes = os::available_bytes().value_or(0);
  facts.kernel_gathers = os::read_system_placement().gathers();
  try {
    bench_program();
    facts.benchmarks = benchmarks();
  } catch (const Error& missing) {
    facts.why_no_benchmarks = missing.what();
  }
  try {
    all.malloc_library = malloc_library();
  } catch (const Error& missing) {
    facts.why_no_malloc = missing.what();
  }
  all.context.extent = options.full ? evaluate::Extent::full : evaluate::Extent::quick;
  Evaluation& evaluation = all.evaluation;
  sim::ThisMachine here = sim::model_of_this_machine(machine);
  all.context.model = std::move(here.model);
  evaluation.predicted_by = std::move(here.source);
  evaluation.version = CHARM_VERSION;
  evaluation.command = session.command_line;
  evaluation.started = describe_host(machine, all.settings).date;
  evaluation.machine = evaluate::machine_facts(machine, counting, CHARM_VERSION);
  evaluation.extent = all.context.extent;
  evaluation.only = names_in(options.only);
  evaluation.seed = 1;
  evaluation.results = evaluate::planned(all.chosen, all.context);
  return all;
}

/// Looks at the machine for a second. \throws Error (refused) if other programs take too much of it.
void check_load(const EvaluateOptions& options, Evaluation& evaluation) {
  const os::MachineWatch watch;
  std::this_thread::sleep_for(std::chrono::seconds(1));
  const auto activity = watch.so_far();
  const auto use = os::others_use(activity);
  const int cpus = std::max(1, activity.after.cpus);
  for (std::string& each : evaluate::conditions_of(use, cpus, activity.governors))
    evaluation.conditions.push_back(std::move(each));
  if (use.cpus <= evaluate::too_busy * cpus || options.anyway) return;
  throw Error(Errc::refused,
              fmt::format("other programs take {:.2g} of {} cpus{}, and the measurements would be worth nothing",
                          use.cpus, cpus, use.who.empty() ? "" : " (" + use.who + ")"),
              "wait until the machine is quiet, or add --anyway to measure and note it");
}

std::function<evaluate::Meanwhile()> watch() {
  return [watch = os::MachineWatch()] {
    const auto around = watch.so_far();
    return evaluate::Meanwhile{compare::disturbances(around, {}),
                               os::others_use(around).cpus > evaluate::too_busy * std::max(1, around.after.cpus)};
  };
}

std::string report_file(const std::string& folder) { return (fs::path(folder) / "report.html").string(); }

void write_results(const std::string& folder, const Evaluation& evaluation, const Machine& machine) {
  os::write_durably((fs::path(folder) / "evaluation.json").string(), evaluate::to_json(evaluation));
  os::write_whole(report_file(folder), evaluate::report_page(evaluation, machine_view::svg(machine)));
  os::write_whole((fs::path(folder) / "summary.txt").string(), evaluation_text(evaluation, false));
}

/// Stores an evaluation in its file. The first time, when nothing has been measured, a file that cannot be written ends
/// it; later that is said once, and the measurements go on, since their verdicts can still be told.
class Store {
 public:
  Store(std::string file, std::ostream& err) : file_(std::move(file)), err_(err) {}

  void operator()(const Evaluation& evaluation) {
    try {
      os::write_durably(file_, evaluate::to_json(evaluation));
    } catch (const Error& error) {
      if (!begun_) throw;
      if (!failed_) err_ << "charm: " << error.what() << "; measuring goes on, and --resume would begin anew\n";
      failed_ = true;
    }
    begun_ = true;
  }

 private:
  std::string file_;
  std::ostream& err_;
  bool begun_ = false, failed_ = false;
};

std::string resuming_command(const EvaluateOptions& options, const std::string& folder) {
  return fmt::format("charm evaluate --{}{}{} --resume", options.full ? "full" : "quick",
                     options.only.empty() ? "" : " --only " + options.only,
                     folder == usual_folder ? "" : " --output " + folder);
}

/// \throws Error (bad_input) if the folder cannot take, or cannot go on with, an evaluation.
void check_folder(const EvaluateOptions& options, const std::string& folder, const std::string& file) {
  if (options.resume && !fs::exists(file))
    throw Error(Errc::bad_input, "--resume: there is no '" + file + "'", "begin without --resume");
  if (!options.resume && fs::exists(file)) {
    throw Error(Errc::bad_input, "'" + folder + "' has an evaluation",
                "add --resume to go on with it, or give another --output");
  }
  if (fs::exists(folder) && !fs::is_directory(folder))
    throw Error(Errc::bad_input, "--output: '" + folder + "' is no folder", "give the path of a folder");
}

void make_folder(const std::string& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) {
    throw Error(Errc::bad_input, "cannot make the folder '" + folder + "': " + error.message(),
                "give another --output");
  }
}

int run(const EvaluateOptions& options, Session& session) {
  const std::string folder = options.folder.value_or(usual_folder);
  const std::string file = (fs::path(folder) / "evaluation.json").string();
  check_folder(options, folder, file);
  Undertaking all = undertake(options, session);
  Evaluation& evaluation = all.evaluation;
  const Machine& machine = all.context.machine();
  if (!machine.is_live()) {
    throw Error(Errc::bad_config, "CHARM_TOPOLOGY describes another machine, and only this one can be measured",
                "unset it; --list shows what could be judged there, and charm sim predicts it");
  }
  if (options.resume) evaluate::take_over(evaluation, evaluate::from_json(read_file(file), file));
  check_load(options, evaluation);
  make_folder(folder);
  os::check_writable(file);
  os::check_writable(report_file(folder));

  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  os::EndSignals signals;
  evaluate::LiveMeasuring measuring({os::program_path(), folder, [&] { return signals.arrived() != 0; },
                                     [&] { return counters::Source::choose(all.settings, machine); },
                                     all.malloc_library, machine.nodes.size() > 1});
  evaluate::Callbacks callbacks;
  callbacks.now = base::monotonic_seconds;
  callbacks.store = Store(file, session.err);
  callbacks.progress = [&](const std::string& doing, double share, double left_s) {
    progress.step(fmt::format("[{:2.0f} %] {}, about {} left", share * 100, doing,
                              left_s < 90 ? fmt::format("{:.0f} s", left_s) : fmt::format("{:.0f} min", left_s / 60)));
  };
  callbacks.watch = watch;
  const bool whole = evaluate::measure(evaluation, all.chosen, all.context, measuring, callbacks,
                                       options.full ? full_limit_s : quick_limit_s);
  progress.clear();
  const bool left = std::any_of(evaluation.results.begin(), evaluation.results.end(),
                                [](const evaluate::Result& each) { return each.state == evaluate::State::planned; });
  if (!left) evaluation.finished = describe_host(machine, all.settings).date;
  // Told before files are written, which a full disk may refuse.
  if (whole && options.output.json) session.out << evaluate::to_json(evaluation);
  if (whole && !options.output.json)
    session.out << evaluation_text(evaluation, colour_on_stdout(options.output.colour));
  write_results(folder, evaluation, machine);
  if (!whole) {
    session.err << "charm: stopped; '" << resuming_command(options, folder) << "' goes on\n";
    return exit_failed;
  }
  if (!options.output.json) session.out << fmt::format("\nreport: {}\n", report_file(folder));
  return exit_done;
}

/// The whole evaluation on a machine that exists only as a model: what would be told there.
int simulate(const EvaluateOptions& options, Session& session) {
  constexpr std::uint64_t seed_of_predictions = 1;
  if (options.folder) check_folder(options, *options.folder, (fs::path(*options.folder) / "evaluation.json").string());
  const auto chosen = evaluate::chosen(names_in(options.only));
  const evaluate::Context context = evaluate::simulated_context(
      sim::model(options.simulated), options.full ? evaluate::Extent::full : evaluate::Extent::quick);
  Evaluation evaluation;
  evaluation.version = CHARM_VERSION;
  evaluation.command = session.command_line;
  evaluation.machine = evaluate::described_machine_facts(context.machine());
  evaluation.extent = context.extent;
  evaluation.only = names_in(options.only);
  evaluation.predicted_by = "the model " + context.model.name;
  evaluation.conditions = {
      fmt::format("Simulated, with {:.3g} % of noise: nothing was measured.", 100 * options.noise)};
  evaluation.results = evaluate::planned(chosen, context);
  evaluate::SimulatedMeasuring measuring(context.model, {options.noise, seed_of_predictions + 1});
  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  evaluate::Callbacks callbacks;
  callbacks.now = base::monotonic_seconds;
  callbacks.store = [](const Evaluation&) {};
  callbacks.progress = [&](const std::string& doing, double share, double /*left_s*/) {
    progress.step(fmt::format("[{:2.0f} %] {}", share * 100, doing));
  };
  evaluate::measure(evaluation, chosen, context, measuring, callbacks, full_limit_s);
  progress.clear();
  if (options.output.json) {
    session.out << evaluate::to_json(evaluation);
  } else {
    session.out << evaluation_text(evaluation, colour_on_stdout(options.output.colour));
  }
  if (options.folder) {
    make_folder(*options.folder);
    write_results(*options.folder, evaluation, context.machine());
  }
  return exit_done;
}

int list(const EvaluateOptions& options, Session& session) {
  const Undertaking all = undertake(options, session);
  if (options.output.json) {
    session.out << evaluate::to_json(all.evaluation);
  } else {
    session.out << experiment_list(all.evaluation.results, options.full ? 0 : quick_limit_s,
                                   colour_on_stdout(options.output.colour));
  }
  return exit_done;
}

int side_by_side(const EvaluateOptions& options, Session& session) {
  if (options.compared.size() < 2)
    throw Error(Errc::bad_config, "--compare needs two files", "give two or more evaluation.json");
  std::vector<Evaluation> evaluations;
  for (const std::string& path : options.compared) evaluations.push_back(evaluate::from_json(read_file(path), path));
  std::string page;
  if (options.folder) {
    make_folder(*options.folder);
    page = (fs::path(*options.folder) / "comparison.html").string();
    os::check_writable(page);
    os::write_whole(page, evaluate::comparison_page(evaluations, session.command_line));
  }
  if (options.output.json) {
    base::Json machines = base::Json::array();
    for (const Evaluation& each : evaluations) machines.push_back(base::Json::parse(evaluate::to_json(each)));
    session.out << base::json_text({{"evaluations", machines}}, 1) << '\n';
  } else {
    session.out << side_by_side_text(evaluations, colour_on_stdout(options.output.colour));
    if (!page.empty()) session.out << "\nreport: " << page << '\n';
  }
  return exit_done;
}

void declare_evaluate(CLI::App& app, Session& session) {
  auto options = std::make_shared<EvaluateOptions>();
  auto* quick = app.add_flag("--quick", options->quick, "At most ten minutes; the default");
  app.add_flag("--full", options->full, "The papers' sizes and more rounds: hours on a large machine")->excludes(quick);
  std::vector<std::string> names;
  for (const evaluate::Experiment& each : evaluate::experiments()) names.emplace_back(each.name);
  some_of(app.add_option("--only", options->only, "Experiments to run [all]"), names);
  app.add_flag("--list", options->list, "List the experiments and what can be judged here, and run nothing");
  not_empty(file_path(app.add_option("--output", options->folder,
                                     fmt::format("Folder for report.html and evaluation.json [{}]", usual_folder))));
  app.add_flag("--resume", options->resume,
               "Go on with the evaluation in that folder; what is finished is not run again");
  app.add_flag("--anyway", options->anyway, "Measure although other programs use the machine, and note it");
  app.add_option("--compare", options->compared,
                 "Set evaluations of several machines side by side: two evaluation.json or more")
      ->type_name("FILE")
      ->expected(1, 64);
  auto* simulated = app.add_option("--simulate", options->simulated,
                                   "Measure a model of another machine, as charm sim has them, and not this one");
  not_empty(simulated)->type_name("MACHINE");
  for (const char* other : {"--list", "--resume", "--anyway", "--compare"}) simulated->excludes(app.get_option(other));
  number_within(app.add_option("--noise", options->noise, "With --simulate: relative deviation of every sample [0.02]"),
                0, 1)
      ->needs(simulated);
  add_output_options(app, options->output);
  app.callback([&session, options] {
    session.action = [&session, options] {
      if (!options->compared.empty()) return side_by_side(*options, session);
      if (!options->simulated.empty()) return simulate(*options, session);
      return options->list ? list(*options, session) : run(*options, session);
    };
  });
}

}  // namespace

Command evaluate_entry() {
  return {"evaluate", "The papers' experiments on this machine, with a verdict for each claim",
          "  charm evaluate --list\n"
          "  charm evaluate --quick --output here\n"
          "  charm evaluate --compare here/evaluation.json there/evaluation.json --output both",
          declare_evaluate};
}

}  // namespace charm::cli
