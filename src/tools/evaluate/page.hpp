// Pages of HTML that need no other file: one evaluation, and machines side by side.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "tools/evaluate/evaluation.hpp"

namespace charm::evaluate {

/// \param machine_svg a drawing of the machine; empty: none.
std::string report_page(const Evaluation& evaluation, const std::string& machine_svg);

/// \param command the command that made it.
std::string comparison_page(const std::vector<Evaluation>& evaluations, const std::string& command);

/// Names for evaluations side by side: the machine's, with the host's if two are the same.
std::vector<std::string> column_names(const std::vector<Evaluation>& evaluations);

/// The names of the experiments of all evaluations, each once, in order of appearance.
std::vector<std::string> all_experiments(const std::vector<Evaluation>& evaluations);

/// The result of that name; null if there is none.
const Result* result_named(const Evaluation& evaluation, const std::string& name);

/// "local over mixed, 24 MiB".
std::string point_label(const Result& result, const Point& point);

}  // namespace charm::evaluate
