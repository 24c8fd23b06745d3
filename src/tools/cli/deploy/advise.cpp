#include "tools/cli/deploy/advise.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "os/files/system_files.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/machine_notes.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/deploy/advise.hpp"
#include "tools/sim/model.hpp"
#include "tools/sim/this_machine.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

struct AdviseOlapArguments {
  OutputOptions output;
  std::string machine, queries;
  std::optional<double> working_set, skew;
};

[[noreturn]] void not_a_measurement(const std::string& file, const std::string& why) {
  throw Error(Errc::bad_input, fmt::format("'{}' is not a result of charm bench olap: {}", file, why),
              "write one by: charm bench olap --json > FILE");
}

/// The queries that `charm bench olap --json` has measured, and the skew of their data. How evenly its workers were
/// busy is no measure of that: they share all data, and what one of them has not begun another one does.
deploy::OlapQuestion measured_queries(const std::string& file) {
  const std::string text = os::read_text(file);
  if (text.empty()) not_a_measurement(file, "it cannot be read, or is empty");
  const Json all = Json::parse(text, nullptr, false);
  if (!all.is_object()) not_a_measurement(file, "it is not JSON");
  if (!all.contains("profiles") || !all["profiles"].is_array() || all["profiles"].empty())
    not_a_measurement(file, "it has no profiles of queries");
  deploy::OlapQuestion question;
  try {
    for (const Json& profile : all["profiles"]) {
      deploy::QueryDemand query{profile.at("query").get<std::string>(), 0,
                                profile.at("working_set_bytes").get<std::uint64_t>()};
      for (const Json& result : all.at("results")) {
        if (result.at("kernel") != query.name) continue;
        const double median = result.at("median_s").get<double>();
        query.seconds = query.seconds > 0 ? std::min(query.seconds, median) : median;
      }
      question.queries.push_back(std::move(query));
      question.hottest_key = std::max(question.hottest_key, profile.value("hottest_key_share", 0.0));
    }
  } catch (const Json::exception& error) {
    not_a_measurement(file, base::json_problem(error));
  }
  return question;
}

deploy::OlapQuestion question_of(const AdviseOlapArguments& options) {
  if (options.queries.empty() == !options.working_set) {
    throw Error(Errc::bad_config, "charm advise olap needs what the queries work on",
                "give --queries FILE of charm bench olap --json, or --working-set MIB");
  }
  deploy::OlapQuestion question;
  if (options.working_set)
    question.queries = {{"working set", 1, static_cast<std::uint64_t>(*options.working_set * 0x1p20)}};
  else
    question = measured_queries(options.queries);
  question.skew = options.skew;
  return question;
}

std::string command_of(const deploy::OlapAdvice& advice) {
  std::string command = fmt::format("charm deploy plan --policy {}", base::word_of(advice.policy));
  if (advice.shape != deploy::Shape::local) command += fmt::format(" --shape {}", base::word_of(advice.shape));
  if (advice.per_chiplet > 1) command += fmt::format(" --per-chiplet {}", advice.per_chiplet);
  return command;
}

void print_json(const sim::Model& model, const deploy::OlapAdvice& advice, std::ostream& out) {
  Json queries = Json::array();
  for (const auto& query : advice.queries) {
    queries.push_back(
        {{"query", query.name}, {"worker_bytes", query.worker_bytes}, {"fits", base::word_of(query.fits)}});
  }
  out << base::json_text(Json{{"machine", model.name},
                              {"policy", base::word_of(advice.policy)},
                              {"shape", base::word_of(advice.shape)},
                              {"shape_matters", advice.shape_matters},
                              {"workers", advice.workers},
                              {"per_chiplet", advice.per_chiplet},
                              {"skew", advice.skew},
                              {"busiest_worker", advice.busiest},
                              {"chiplet_l3_bytes", advice.chiplet_l3_bytes},
                              {"node_l3_bytes", advice.node_l3_bytes},
                              {"queries", queries},
                              {"reasons", advice.reasons},
                              {"notes", machine_notes(model.machine)},
                              {"command", command_of(advice)}},
                         2)
      << '\n';
}

int advise_olap(const AdviseOlapArguments& options, Session& session) {
  const sim::Model model =
      options.machine.empty() ? sim::model_of_this_machine(Machine::discover()).model : sim::model(options.machine);
  const deploy::OlapQuestion question = question_of(options);
  const deploy::OlapAdvice advice = deploy::advise_olap(model.machine, question);
  if (options.output.json) {
    print_json(model, advice, session.out);
    return exit_done;
  }
  session.out << fmt::format("{}: {}, {} worker{}\n\n", model.title, base::word_of(advice.policy), advice.workers,
                             advice.workers == 1 ? "" : "s");
  for (const auto& reason : advice.reasons) session.out << reason << '\n';
  for (const auto& note : machine_notes(model.machine)) session.out << "Note: " << note << '\n';
  std::vector<std::vector<Cell>> rows;
  for (const auto& query : advice.queries) {
    rows.push_back(
        {{query.name, ""},
         {base::format_bytes(query.worker_bytes), ""},
         {query.fits == deploy::Fits::memory ? "no cache" : fmt::format("the {}", base::word_of(query.fits)), ""}});
  }
  session.out << '\n'
              << render_table({{"query"}, {"of a worker", Column::Align::right}, {"fits into"}}, rows,
                              colour_on_stdout(options.output.colour))
              << fmt::format("\nThe plan: {}\n", command_of(advice));
  return exit_done;
}

}  // namespace

void declare_advise_olap(CLI::App& advise_app, Session& session) {
  auto options = std::make_shared<AdviseOlapArguments>();
  CLI::App* app = advise_app.add_subcommand("olap", "How to deploy an analytical engine's workers");
  not_empty(app->add_option(
      "--machine,--from", options->machine,
      "Product (2xepyc-9654), model file, hwloc XML file, sysfs tree or synthetic string [this machine]"));
  file_path(app->add_option("--queries", options->queries, "Measured queries: what charm bench olap --json printed"));
  mebibytes_within(
      app->add_option("--working-set", options->working_set,
                      "Instead: MiB, or 8M, 1.5G, that a query works on besides the tables, all workers together"),
      1e-3, 1e9);
  number_within(
      app->add_option("--skew", options->skew,
                      "The largest part over the mean when the data are divided among the chiplets [by the hottest key "
                      "of the measured queries' data, else 1]"),
      1, 1e6);
  add_output_options(*app, options->output);
  app->footer(
      "Example:\n  charm bench olap --json > tpch.json\n  charm advise olap --machine 7713 --queries tpch.json");
  app->callback(
      [&session, options] { session.action = [&session, options] { return advise_olap(*options, session); }; });
}

}  // namespace charm::cli
