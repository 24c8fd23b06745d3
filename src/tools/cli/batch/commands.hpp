// The subcommands of `charm batch`.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "tools/cli/command.hpp"
#include "tools/cli/console.hpp"
#include "tools/selector_training/families.hpp"
#include "tools/selector_training/label.hpp"

namespace charm::cli {

struct BatchGenerateOptions {
  selector_training::GenerateOptions generate;
  std::string families = "all";
  std::string nodes;  // "16..2048"
  std::string work;   // "100..40000"
  std::string file;
  OutputOptions output;
};
int batch_generate(const BatchGenerateOptions& options, Session& session);

struct BatchLabelOptions {
  std::string graphs, file;
  int workers = 0;
  double seconds = 0;  // 0: to the end
  selector_training::LabelOptions label;
  OutputOptions output;
};
int batch_label(const BatchLabelOptions& options, Session& session);

struct BatchTrainOptions {
  std::string labels, folder = "selectors", only = "tree,logistic,gcn", python;
  int epochs = 80;
  std::uint32_t seed = 1;
  bool print_program = false;
  OutputOptions output;
};
int batch_train(const BatchTrainOptions& options, Session& session);

struct BatchEvalOptions {
  std::vector<std::string> models;  // a folder of `train`, or files
  std::string labels;
  OutputOptions output;
};
int batch_eval(const BatchEvalOptions& options, Session& session);

struct BatchShowOptions {
  std::string model;  // empty: the kinds of selectors
  OutputOptions output;
};
int batch_show(const BatchShowOptions& options, Session& session);

}  // namespace charm::cli
