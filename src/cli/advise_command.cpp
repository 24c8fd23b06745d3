// `charm advise`: where to put a workload on a machine, and why.
#include <memory>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "cli/commands.hpp"
#include "cli/console.hpp"
#include "cli/format.hpp"
#include "cli/text_table.hpp"
#include "sim/advise.hpp"

namespace charm::cli {
namespace {

using Json = nlohmann::ordered_json;

struct Options {
  OutputOptions output;
  std::string machine;
  sim::Question question;
};

Json choices_json(const std::vector<sim::Choice>& choices) {
  Json list = Json::array();
  for (const auto& c : choices) {
    Json fills = Json::object();
    for (std::size_t s = 0; s < sim::sources; ++s) fills[sim::source_names[s]] = c.fills[s];
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
                    {format_percent(c.throughput), ""},
                    {format_percent(c.fills[0] + c.fills[1]), ""},
                    {format_percent(c.fills[2] + c.fills[3]), ""},
                    {format_percent(c.fills[4] + c.fills[5]), ""},
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

int advise(const Options& options, Session& session) {
  const sim::Model model =
      options.machine.empty() ? sim::estimated_model(Machine::discover()) : sim::model(options.machine);
  const sim::Advice advice = sim::advise(model, options.question);
  if (options.output.json) {
    session.out << Json{{"machine", model.name},
                        {"workers", advice.workers},
                        {"placement", advice.placement},
                        {"chiplets", advice.chiplets},
                        {"instances_per", advice.instances},
                        {"instances", advice.instance_count},
                        {"reasons", advice.reasons},
                        {"levels", choices_json(advice.levels)},
                        {"divisions", choices_json(advice.divisions)}}
                       .dump(2, ' ', false, Json::error_handler_t::replace)
                << '\n';
    return exit_done;
  }
  const bool colour = colour_on_stdout(colour_choice(options.output.colour));
  session.out << fmt::format(
      "{}: {} worker{}, {} on {} chiplet{}; {}.\n\n", model.title, advice.workers, advice.workers == 1 ? "" : "s",
      advice.placement, advice.chiplets, advice.chiplets == 1 ? "" : "s",
      advice.instance_count == 1 ? std::string("one instance")
                                 : fmt::format("{} instances, one a {}", advice.instance_count, advice.instances));
  for (const auto& reason : advice.reasons) session.out << reason << '\n';
  std::string level;
  for (const auto& c : advice.levels) level = c.count == advice.chiplets ? c.name : level;
  session.out << '\n'
              << choices_table("placement", advice.levels, level, colour) << '\n'
              << choices_table("an instance a", advice.divisions, advice.instances, colour)
              << "\nComputed by a model (docs/simulator.md); throughput is against the best of each table.\n";
  return exit_done;
}

void declare(CLI::App& app, Session& session) {
  auto options = std::make_shared<Options>();
  sim::Question& q = options->question;
  app.add_option("--machine", options->machine,
                 "Machine model, model file, hwloc XML file or synthetic string [this machine]");
  app.add_option("--working-set", q.working_set_mb, "MiB that all workers touch again and again")
      ->required()
      ->check(CLI::PositiveNumber);
  app.add_option("--sharing", q.sharing, "Share of the accesses that go to data which all workers touch [0]")
      ->check(CLI::Range(0.0, 1.0));
  app.add_option("--writes", q.writes, "Share of the accesses that write [0.1]")->check(CLI::Range(0.0, 1.0));
  app.add_option("--bandwidth", q.bandwidth_gb_per_s, "GB/s that it asks for, undisturbed [as much as it gets]")
      ->check(CLI::NonNegativeNumber);
  app.add_option("--workers", q.workers, "Workers [a core each]")->check(CLI::Range(1, 65536));
  add_output_options(app, options->output);
  app.callback([&session, options] { session.action = [&session, options] { return advise(*options, session); }; });
}

}  // namespace

Command advise_entry() {
  return {"advise", "Where to put a workload on a machine: together or apart, and in how many instances",
          "  charm advise --machine 7713 --workers 8 --working-set 192 --sharing 0.2", declare};
}

}  // namespace charm::cli
