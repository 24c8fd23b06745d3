// A comparison as files for other programs: CSV for spreadsheets and scripts (RFC 4180; times in seconds), and a table
// in Markdown for reports.
#pragma once

#include <string>

#include "tools/compare/outcome.hpp"

namespace charm::cli {

/// A row for each program. The first columns have the names and the order of hyperfine's --export-csv.
std::string comparison_csv(const compare::Outcome& outcome);

/// A row for each measured run, in the order of time.
std::string runs_csv(const compare::Outcome& outcome);

/// The table of the terminal, and the verdicts below it.
std::string comparison_markdown(const compare::Outcome& outcome);

/// "same", "differs", "varies", or "" if outputs were not compared.
const char* word(compare::Agreement agreement);

}  // namespace charm::cli
