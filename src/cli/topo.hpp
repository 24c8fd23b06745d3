// `charm topo`: shows the machine as the runtime sees it, or another one that a file or a synthetic string describes.
#pragma once

#include <iosfwd>
#include <string>

namespace charm::cli {

struct TopoOptions {
  std::string from = "";  // hwloc XML file or synthetic string; empty: this machine, or what CHARM_TOPOLOGY names
  bool json = false;
  bool svg = false;
  bool ascii = false;  // draw without characters outside of ASCII
  bool colour = false;
};

/// \returns the exit code.
/// \throws Error (bad_input) where the topology cannot be read; (bad_config) where options exclude each other.
int topo_command(const TopoOptions& options, std::ostream& out);

}  // namespace charm::cli
