// `charm topo`: shows the machine as the runtime sees it and as the system, its processors and a measurement describe
// it, or another machine from a file, a string or a directory; or the differences of two machines.
#pragma once

#include <iosfwd>
#include <string>
#include <vector>

namespace charm::cli {

struct TopoOptions {
  std::string from = "";               // as Machine::from takes it; empty: this machine, or what CHARM_TOPOLOGY names
  std::string domains = "";            // as the setting; empty: the setting, for this machine
  std::vector<std::string> diff = {};  // two descriptions to compare; "-" is this machine
  std::string view = "";               // print the groups of "system", "cpuid", "measured" or "all" views
  bool json = false;
  bool svg = false;
  bool ascii = false;  // draw without characters outside of ASCII
  bool colour = false;
};

/// \returns the exit code: 1 if the machines that were compared differ.
/// \throws Error (bad_input) if the topology cannot be read; (bad_config) if options exclude each other.
int topo_command(const TopoOptions& options, std::ostream& out);

}  // namespace charm::cli
