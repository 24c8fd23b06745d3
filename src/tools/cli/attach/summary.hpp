// The summary of what was done to a program, as a few lines of text and as JSON (docs/run.md has the keys).
#pragma once

#include <optional>
#include <string>

#include "base/json.hpp"
#include "tools/attach/attachment.hpp"
#include "tools/cli/attach/options.hpp"
#include "tools/os/child.hpp"

namespace charm::cli {

struct AttachResult {
  std::string program;
  int pid = 0;
  bool attached = false;
  double seconds = 0;
  std::optional<os::Ended> ended;  // nothing: the program goes on
  std::string found_by;
  std::string counters;    // name of the counters, or why there are none
  double own_seconds = 0;  // cpu time of charm itself
  std::string pages;       // what was moved (--pages), or why nothing was
  std::string trouble;     // with what was to tell the program's progress
  bool trouble_was_said = false;
};

/// "exited with 0".
std::string how_it_ended(const AttachResult& outcome);
/// The keys `ended` and `used` of the report.
base::Json ended_json(const AttachResult& outcome);
base::Json used_json(const AttachResult& outcome);

std::string summary_text(const AttachResult& outcome, const Prepared& prepared, const attach::Attachment& attachment);
std::string summary_json(const AttachResult& outcome, const Prepared& prepared, const attach::Attachment& attachment);

/// A summary of what a run would do.
std::string intent_text(const AttachOptions& options, const Prepared& prepared);
std::string intent_json(const AttachOptions& options, const Prepared& prepared);

}  // namespace charm::cli
