// Evaluations as text for a terminal.
#pragma once

#include <string>
#include <vector>

#include "tools/evaluate/evaluation.hpp"

namespace charm::cli {

/// The machine, every point that was measured, and a verdict for each claim.
std::string evaluation_text(const evaluate::Evaluation& evaluation, bool colour);

/// Machines side by side: the verdicts, and the measured value of each point.
std::string side_by_side_text(const std::vector<evaluate::Evaluation>& evaluations, bool colour);

/// The experiments and whether they can be judged here; of those that can, about how long they take.
/// \param limit_s that a run may measure; 0: as long as it takes.
std::string experiment_list(const std::vector<evaluate::Result>& planned, double limit_s, bool colour);

}  // namespace charm::cli
