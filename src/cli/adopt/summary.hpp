// What was done to a program, as a few lines for people and as JSON (docs/run.md has the keys).
#pragma once

#include <optional>
#include <string>

#include "adopt/steward.hpp"
#include "cli/adopt/options.hpp"
#include "os/child.hpp"

namespace charm::cli {

struct Outcome {
  std::string program;
  int pid = 0;
  bool attached = false;
  double seconds = 0;
  std::optional<os::Ended> ended;  // nothing: it goes on without us
  std::string found_by;
  std::string counters;    // name, or why there are none
  double own_seconds = 0;  // cpu time of the steering itself
};

std::string summary_text(const Outcome& outcome, const Prepared& prepared, const adopt::Steward& steward);
std::string summary_json(const Outcome& outcome, const Prepared& prepared, const adopt::Steward& steward);

/// What a run would do.
std::string intent_text(const AdoptOptions& options, const Prepared& prepared);
std::string intent_json(const AdoptOptions& options, const Prepared& prepared);

}  // namespace charm::cli
