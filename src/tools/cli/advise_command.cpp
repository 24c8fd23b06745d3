// `charm advise`: recommends where to put a workload on a machine, and says why.
#include <charm/error.hpp>

#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/deploy/advise.hpp"
#include "tools/cli/machine_notes.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sim/measured.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/cli/width/command.hpp"
#include "tools/sim/advise.hpp"
#include "tools/sim/this_machine.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

struct AdviseArguments {
  OutputOptions output;
  std::string machine, recording;
  std::optional<double> working_set, sharing, bandwidth;
  std::optional<int> pid;
  double seconds = 2;
  sim::Question question;
};

/// What was given counts before what was measured; `notes` says what was measured.
sim::Question question_of(const AdviseArguments& options, std::vector<std::string>& notes) {
  sim::Question q = options.question;
  MeasuredTraffic traffic;
  if (!options.recording.empty()) {
    traffic = measured_traffic(options.recording);
    if (traffic.sharing && !options.sharing) {
      notes.push_back(fmt::format("sharing {:.3f}, from {}", *traffic.sharing, options.recording));
    }
    if (traffic.bandwidth_gb_per_s && !options.bandwidth) {
      notes.push_back(fmt::format("bandwidth {:.3g} GB/s, from {}", *traffic.bandwidth_gb_per_s, options.recording));
    }
    if (q.workers == 0) q.workers = traffic.workers;
  }
  q.sharing = options.sharing.value_or(traffic.sharing.value_or(0));
  q.bandwidth_gb_per_s = options.bandwidth.value_or(traffic.bandwidth_gb_per_s.value_or(0));
  if (options.working_set) {
    q.working_set_mb = *options.working_set;
  } else if (options.pid) {
    q.working_set_mb = measured_working_set(*options.pid, options.seconds);
    notes.push_back(fmt::format("working set {:.1f} MiB: what process {} touched in {:g} s, in whole pages",
                                q.working_set_mb, *options.pid, options.seconds));
    if (q.working_set_mb <= 0) {
      throw Error(Errc::bad_input, fmt::format("process {} touched no memory in {:g} s", *options.pid, options.seconds),
                  "measure while it works, for longer with --seconds");
    }
  } else {
    throw Error(Errc::bad_config, "charm advise needs the size of the working set",
                "give --working-set MIB, or --pid of a running program to measure it");
  }
  return q;
}

Json choices_json(const std::vector<sim::Choice>& choices) {
  Json list = Json::array();
  for (const auto& c : choices) {
    Json fills = Json::object();
    for (std::size_t s = 0; s < sim::sources; ++s) fills[sim::source_name(s)] = c.fills[s];
    list.push_back({{"name", c.name}, {"count", c.count}, {"throughput", c.throughput}, {"fills", fills}});
  }
  return list;
}

std::string choices_table(const char* title, const std::vector<sim::Choice>& choices, const std::string& chosen,
                          bool colour) {
  using Align = Column::Align;
  std::vector<std::vector<Cell>> rows;
  for (const auto& c : choices) {
    rows.push_back({{c.name, c.name == chosen ? "1" : ""},
                    {std::to_string(c.count), ""},
                    {base::format_percent(c.throughput), ""},
                    {base::format_percent(c.fills[0] + c.fills[1]), ""},
                    {base::format_percent(c.fills[2] + c.fills[3]), ""},
                    {base::format_percent(c.fills[4] + c.fills[5]), ""},
                    {c.name == chosen ? "<- advised" : "", ""}});
  }
  return render_table({{title},
                       {"number", Align::right},
                       {"throughput", Align::right},
                       {"own chiplet", Align::right},
                       {"other caches", Align::right},
                       {"memory", Align::right},
                       {""}},
                      rows, colour);
}

int advise(const AdviseArguments& options, Session& session) {
  const sim::Model model =
      options.machine.empty() ? sim::model_of_this_machine(Machine::discover()).model : sim::model(options.machine);
  std::vector<std::string> notes;
  const sim::Question question = question_of(options, notes);
  const sim::Advice advice = sim::advise(model, question);
  if (options.output.json) {
    session.out << base::json_text(Json{{"machine", model.name},
                                        {"workers", advice.workers},
                                        {"placement", advice.placement},
                                        {"chiplets", advice.chiplets},
                                        {"instances_per", advice.instances},
                                        {"instances", advice.instance_count},
                                        {"reasons", advice.reasons},
                                        {"working_set_mb", question.working_set_mb},
                                        {"sharing", question.sharing},
                                        {"writes", question.writes},
                                        {"bandwidth_gb_per_s", question.bandwidth_gb_per_s},
                                        {"measured", notes},
                                        {"notes", machine_notes(model.machine)},
                                        {"enough_workers", advice.enough_workers},
                                        {"widths", choices_json(advice.widths)},
                                        {"levels", choices_json(advice.levels)},
                                        {"divisions", choices_json(advice.divisions)}},
                                   2)
                << '\n';
    return exit_done;
  }
  const bool colour = colour_on_stdout(options.output.colour);
  session.out << fmt::format(
      "{}: {} worker{}, {} on {} chiplet{}; {}.\n\n", model.title, advice.workers, advice.workers == 1 ? "" : "s",
      advice.placement, advice.chiplets, advice.chiplets == 1 ? "" : "s",
      advice.instance_count == 1 ? std::string("one instance")
                                 : fmt::format("{} instances, one a {}", advice.instance_count, advice.instances));
  for (const auto& reason : advice.reasons) session.out << reason << '\n';
  for (const auto& note : notes) session.out << "Measured: " << note << ".\n";
  for (const auto& note : machine_notes(model.machine)) session.out << "Note: " << note << '\n';
  std::string level;
  for (const auto& c : advice.levels) level = c.count == advice.chiplets ? c.name : level;
  session.out << '\n'
              << choices_table("placement", advice.levels, level, colour) << '\n'
              << choices_table("an instance a", advice.divisions, advice.instances, colour) << '\n'
              << choices_table("workers", advice.widths, std::to_string(advice.enough_workers), colour)
              << "\nComputed by a model (docs/design/simulator.md); throughput is against the best of each table.\n";
  return exit_done;
}

void declare_advise(CLI::App& app, Session& session) {
  auto options = std::make_shared<AdviseArguments>();
  sim::Question& q = options->question;
  not_empty(app.add_option(
      "--machine,--from", options->machine,
      "Product (2xepyc-9654), model file, hwloc XML file, sysfs tree or synthetic string [this machine]"));
  mebibytes_within(app.add_option("--working-set", options->working_set,
                                  "MiB, or 8M, 1.5G, of the data that all workers together touch again and again"),
                   1e-3, 1e9);
  whole_number(app.add_option("--pid", options->pid, "Measure the working set of this running process"), 1, 1 << 30);
  number_within(app.add_option("--seconds", options->seconds, "How long --pid measures [2]"), 0.05, 3600);
  file_path(app.add_option("--recording", options->recording,
                           "Take sharing and bandwidth from a file of CHARM_COUNTERS=record:FILE"));
  number_within(app.add_option("--sharing", options->sharing,
                               "Share of the accesses that go to data which all workers touch [0]"),
                0, 1);
  number_within(app.add_option("--writes", q.writes, "Share of the accesses that write [0.1]"), 0, 1);
  number_within(app.add_option("--bandwidth", options->bandwidth,
                               "GB/s that the program would use without limits [as much as it gets]"),
                0, 1e9);
  whole_number(app.add_option("--workers", q.workers, "Workers [a core each]"), 1, 65536);
  add_output_options(app, options->output);
  declare_advise_olap(app, session);
  declare_advise_threads(app, session);
  app.callback([&app, &session, options] {
    if (app.got_subcommand("olap") || app.got_subcommand("threads")) return;
    session.action = [&session, options] { return advise(*options, session); };
  });
}

}  // namespace

Command advise_entry() {
  return {"advise", "Where to put a workload on a machine, in how many instances, with how many threads",
          "  charm advise --machine 7713 --workers 8 --working-set 192 --sharing 0.2\n"
          "  charm advise olap --machine 7713 --queries tpch.json\n"
          "  charm advise threads -- ./program --threads {threads}\n"
          "  charm advise --pid $(pidof postgres | cut -d' ' -f1)",
          declare_advise};
}

}  // namespace charm::cli
