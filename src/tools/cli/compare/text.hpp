// A comparison as text for the terminal, and the report of a run that failed.
#pragma once

#include <string>
#include <vector>

#include "tools/compare/outcome.hpp"

namespace charm::cli {

std::string comparison_text(const compare::Outcome& outcome, bool colour);

/// A line for each program of which runs have failed.
std::vector<std::string> failure_lines(const compare::Outcome& outcome);
/// A line for each comparison.
std::vector<std::string> verdict_lines(const compare::Outcome& outcome);

/// How many runs there were, and how to repeat them: "15 runs of each in random order, …; --seed 7".
std::string runs_text(const compare::Outcome& outcome);

/// One line, without the tool's name: which program failed, how and when, and what to do. Then the end of its stderr.
std::string failed_text(const compare::Outcome& outcome);

/// "1.05" or "0.953": a ratio, to a tenth of a percent.
std::string ratio_text(double ratio);
/// "1.039–1.056"
std::string interval_text(const compare::Interval& interval);
/// The distance between the quartiles, as a share of the median.
double spread(const std::vector<double>& values);
/// "3.4 MiB", "at most 9.8 MiB".
std::string peak_text(const compare::Series& series);

}  // namespace charm::cli
