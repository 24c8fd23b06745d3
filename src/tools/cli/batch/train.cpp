// `charm batch train` and `eval`. Training is a Python program (src/tools/selector_training/train.py) that is a part of
// the command.
#include <charm/error.hpp>

#include <filesystem>
#include <iterator>
#include <ostream>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "os/files/bounded_file.hpp"
#include "os/files/output_file.hpp"
#include "tools/cli/batch/commands.hpp"
#include "tools/cli/batch/judged.hpp"
#include "tools/cli/bench/host.hpp"
#include "tools/os/measured_child.hpp"
#include "tools/selector_training/train_script.hpp"

namespace charm::cli {
namespace {

bool has_torch(const std::string& python) {
  const os::ChildResult result = os::run_child({.words = {python, "-c", "import torch"}});
  return result.start_error == 0 && result.exit_code == 0 && result.signal == 0;
}

/// The system's Python gets PyTorch from the distribution's packages; the first in PATH may be another.
std::string python_for(const BatchTrainOptions& options) {
  if (!options.python.empty()) return options.python;
  const std::string system = "/usr/bin/python3";
  const bool network = options.only.find("gcn") != std::string::npos;
  return network && !has_torch("python3") && has_torch(system) ? system : "python3";
}

/// What train adds to a model: where it comes from, and what it is worth.
base::Json sheet_of(const selector_training::Judgement& judgement, const selector_training::Judgement& stream,
                    const Judged& judged, const base::Json& header,
                    const std::vector<selector_training::LabelledGraph>& graphs) {
  std::set<std::string> families;
  for (const auto& graph : graphs) families.insert(graph.plan.family);
  auto mean = [](const selector_training::Mean& from) {
    return base::Json{{"value", from.value}, {"low", from.at95.low}, {"high", from.at95.high}};
  };
  return {{"machine", header.value("machine", base::Json::object())},
          {"labelled", header.value("date", base::Json(""))},
          {"trained", describe_host(Machine(), base::Settings()).date},
          {"graphs", graphs.size()},
          {"families", families},
          {"pairs", graphs.front().label.pairs},
          {"regret", mean(judgement.regret)},
          {"regret_of_stream", mean(stream.regret)},
          {"gained", mean(judgement.gained)},
          {"right", judgement.right},
          {"default", judged.verdict.selector},
          {"reason", judged.verdict.reason}};
}

void write_sheets(const std::string& folder, const Judged& judged, const base::Json& header,
                  const std::vector<selector_training::LabelledGraph>& graphs) {
  for (const selector_training::Judgement& each : judged.judgements) {
    if (each.parameters == 0) continue;
    const std::string file = folder + "/" + each.selector + ".json";
    base::Json model = base::Json::parse(os::read_bounded(file).text);
    base::Json sheet = sheet_of(each, judged.judgements.front(), judged, header, graphs);
    for (const char* member : {"accuracy", "accuracy_unseen"}) {  // of the network's three classes
      if (!model.contains(member)) continue;
      sheet[member] = model[member];
      model.erase(member);
    }
    model["sheet"] = std::move(sheet);
    os::write_whole(file, base::json_text(model) + "\n");
  }
}

void print_judged(const Judged& judged, bool json, Session& session) {
  session.out << (json ? base::json_text(judged_json(judged), 2) + "\n" : judged_text(judged));
}

}  // namespace

int batch_train(const BatchTrainOptions& options, Session& session) {
  if (options.print_program) {
    const std::string program = selector_training::train_script;
    session.out << (options.output.json ? base::json_text(base::Json{{"program", program}}, 2) + "\n" : program);
    return exit_done;
  }
  if (options.labels.empty())
    throw Error(Errc::bad_config, "charm batch train needs a file of labels",
                "give one that `charm batch label` has written");
  const std::vector<base::Json> lines = selector_training::read_lines(options.labels, "labels");
  const auto graphs = selector_training::labelled_from_lines(lines, options.labels);
  std::error_code failed;
  std::filesystem::create_directories(options.folder, failed);
  if (failed)
    throw Error(Errc::bad_input, fmt::format("the folder {} cannot be made: {}", options.folder, failed.message()),
                "give another with --output");
  const std::string python = python_for(options);
  const os::ChildResult child = os::run_child(
      {.words = {python, "-c", selector_training::train_script, options.labels, options.folder, "--only", options.only,
                 "--epochs", std::to_string(options.epochs), "--seed", std::to_string(options.seed)},
       .show_output = true});
  if (child.start_error != 0)
    throw Error(Errc::bad_input, python + " cannot be started", "install Python 3, or name one with --python");
  if (child.interrupted != 0 || child.signal != 0 || child.exit_code != 0)
    throw Error(Errc::system, python + " has not trained the selectors", "see what it has written above");
  const Judged judged = judge_models({options.folder}, graphs);
  write_sheets(options.folder, judged, lines.front(), graphs);
  print_judged(judged, options.output.json, session);
  return exit_done;
}

int batch_eval(const BatchEvalOptions& options, Session& session) {
  const auto graphs = selector_training::labelled_from_lines(
      selector_training::read_lines(options.labels, "labels", true), options.labels);
  print_judged(judge_models(options.models, graphs), options.output.json, session);
  return exit_done;
}

}  // namespace charm::cli
