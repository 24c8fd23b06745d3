// `charm probe`: measures this machine, or reads the structure of another one from its latency matrix.
#pragma once

#include <atomic>
#include <iosfwd>
#include <string>
#include <vector>

#include "tools/probe/measuring/measure.hpp"

namespace charm::cli {

struct ProbeOptions {
  std::string cluster = "";             // a latency matrix (CSV) to cluster instead of measuring
  std::string show = "";                // a stored profile to show instead of measuring; "-" is this machine's
  std::vector<std::string> parts = {};  // latency, bandwidth, stream, caches, writes; empty: all
  probe::Pairs pairs = probe::Pairs::automatic;
  double budget_s = 15;
  std::string csv = "";  // files to write as well
  std::string svg = "";
  std::string html = "";
  bool store = true;  // keep the profile for later runs
  bool json = false;
  bool quiet = false;
  bool ascii = false;
  bool colour = false;
};

/// \returns the exit code: 1 if the measurement was interrupted and its result is partial.
/// \throws Error for input that cannot be read and files that cannot be written.
int probe_command(const ProbeOptions& options, std::ostream& out, std::ostream& err);

}  // namespace charm::cli
