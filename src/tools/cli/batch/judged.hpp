// The models of a folder judged on families that they have not seen, for train and eval.
#pragma once

#include <string>
#include <vector>

#include "base/json.hpp"
#include "tools/selector_training/label.hpp"
#include "tools/selector_training/regret.hpp"

namespace charm::cli {

struct Judged {
  std::vector<selector_training::Judgement>
      judgements;  // always-stream, always-batch, the oracle's bound apart, and models
  selector_training::Verdict verdict;
  std::vector<std::string> notes;  // what a reader of the figures has to know
};

/// \param models one folder of `charm batch train`, or files of models. \throws Error (bad_input).
Judged judge_models(const std::vector<std::string>& models,
                    const std::vector<selector_training::LabelledGraph>& graphs);

std::string judged_text(const Judged& judged);
base::Json judged_json(const Judged& judged);

}  // namespace charm::cli
