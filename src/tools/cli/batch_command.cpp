// `charm batch`: makes, judges and shows the selectors that choose between the schedules of task graphs.
#include <memory>

#include "tools/cli/batch/commands.hpp"
#include "tools/cli/commands.hpp"
#include "tools/cli/options.hpp"

namespace charm::cli {
namespace {

std::vector<std::string> family_names() {
  std::vector<std::string> names{"all"};
  for (const selector_training::Family& family : selector_training::families()) names.emplace_back(family.name);
  return names;
}

template <class Options>
void act(CLI::App& app, Session& session, const std::shared_ptr<Options>& options,
         int (*run)(const Options& options, Session& session)) {
  add_output_options(app, options->output);
  app.callback(
      [&session, options, run] { session.action = [&session, options, run] { return run(*options, session); }; });
}

void declare_generate(CLI::App& batch, Session& session) {
  auto options = std::make_shared<BatchGenerateOptions>();
  CLI::App* app = batch.add_subcommand("generate", "Make task graphs of several families");
  selector_training::GenerateOptions& generate = options->generate;
  file_path(app->add_option("--output", options->file, "The file to write, a line of JSON a graph")->required());
  whole_number(app->add_option("--count", generate.count, "Graphs [400]"), 1, 100'000);
  some_of(app->add_option("--families", options->families, "Their families, in turns [all]"), family_names());
  not_empty(
      app->add_option("--nodes", options->nodes, "Nodes of a graph, from 16 to 1000000, as LEAST..MOST [16..2048]"));
  not_empty(app->add_option("--work", options->work,
                            "Mean work of a node: elements of y += a x, as LEAST..MOST [100..40000]"));
  app->add_option("--seed", generate.seed, "The same seed makes the same graphs [1]");
  act(*app, session, options, batch_generate);
}

void declare_label(CLI::App& batch, Session& session) {
  auto options = std::make_shared<BatchLabelOptions>();
  CLI::App* app = batch.add_subcommand("label", "Run graphs by both schedules, in turns, and note which is the faster");
  file_path(app->add_option("graphs", options->graphs, "A file of `charm batch generate`")->required());
  file_path(app->add_option("--output", options->file, "The file to write; what it has already is not run again")
                ->required());
  whole_number(app->add_option("--workers", options->workers, "Workers [a core each]"), 1, 65536);
  whole_number(app->add_option("--pairs", options->label.pairs, "Runs of each schedule [7]"), 5, 1000);
  number_within(
      app->add_option("--seconds", options->seconds, "Stop after that time; the next call goes on [no limit]"), 0.1,
      1e6);
  act(*app, session, options, batch_label);
}

void declare_train(CLI::App& batch, Session& session) {
  auto options = std::make_shared<BatchTrainOptions>();
  CLI::App* app = batch.add_subcommand("train", "Train selectors with labelled graphs, and judge them");
  file_path(app->add_option("labels", options->labels, "A file of `charm batch label`"));
  file_path(app->add_option("--output", options->folder, "The folder of the models [selectors]"));
  some_of(app->add_option("--only", options->only, "What to train [tree,logistic,gcn]"), {"tree", "logistic", "gcn"});
  not_empty(
      app->add_option("--python", options->python,
                      "The Python to train with [python3 of PATH, or that of /usr/bin where only it has PyTorch]"));
  whole_number(app->add_option("--epochs", options->epochs, "How often the network sees each graph [80]"), 1, 100'000);
  app->add_option("--seed", options->seed, "Of the network's first weights and the order of graphs [1]");
  app->add_flag("--print-program", options->print_program, "Print the Python program that trains, and do nothing");
  act(*app, session, options, batch_train);
}

void declare_eval(CLI::App& batch, Session& session) {
  auto options = std::make_shared<BatchEvalOptions>();
  CLI::App* app = batch.add_subcommand("eval", "Judge selectors by the time that they lose on labelled graphs");
  file_path(app->add_option("labels", options->labels, "A file of `charm batch label`")->required());
  file_path(app->add_option("models", options->models,
                            "A folder of `charm batch train`, judged on families that it has not seen, or models")
                ->required());
  act(*app, session, options, batch_eval);
}

void declare_show(CLI::App& batch, Session& session) {
  auto options = std::make_shared<BatchShowOptions>();
  CLI::App* app =
      batch.add_subcommand("show", "The data sheet of a model, and what it says; or the kinds of selectors");
  file_path(app->add_option("model", options->model, "A model's file"));
  act(*app, session, options, batch_show);
}

void declare_batch(CLI::App& app, Session& session) {
  declare_generate(app, session);
  declare_label(app, session);
  declare_train(app, session);
  declare_eval(app, session);
  declare_show(app, session);
  app.require_subcommand(1);
}

}  // namespace

Command batch_entry() {
  return {"batch", "Train, judge and show the selectors that choose how task graphs are scheduled",
          "  charm batch generate --output graphs.jsonl\n"
          "  charm batch label graphs.jsonl --output labels.jsonl\n"
          "  charm batch train labels.jsonl --output selectors",
          declare_batch};
}

}  // namespace charm::cli
