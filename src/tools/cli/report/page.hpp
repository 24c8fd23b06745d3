// The report of a benchmark: one self-contained HTML page (no script, no font, no picture from elsewhere).
#pragma once

#include <string>
#include <vector>

#include "tools/cli/bench/host.hpp"
#include "tools/cli/bench/result.hpp"

namespace charm::cli {

/// A drawing of the machine with the workers of one policy, as an SVG element.
struct Drawing {
  std::string policy;  // empty: the machine alone
  std::string svg;
};

struct Report {
  std::string title;
  std::string command;  // the command that made it
  Host host;
  BenchResult outcome;
  std::vector<Drawing> drawings;
};

std::string render_report(const Report& report);

}  // namespace charm::cli
