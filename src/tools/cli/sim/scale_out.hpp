// `charm sim --network`: a program of many machines.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "tools/cli/sim/options.hpp"

namespace charm::cli {

struct ScaleOutRequest {
  SimRequest local;  // machines, workloads, policies and workers of each machine
  std::vector<std::string> networks;
  std::vector<int> machine_counts;  // ascending
  int scale = 30;
  bool weak = false;
  std::optional<int> window;  // buffers on the way to a machine; else as charm::remote has it
};

/// \returns tables, or JSON. \throws Error (bad_config, too_many_workers) before anything is simulated.
std::string scale_out_text(const ScaleOutRequest& request, bool json, bool colour);

/// Numbers of machines as numbers of workers are given: "1,4,16" or "1..256".
/// \throws Error (bad_config).
std::vector<int> parse_machine_counts(const std::string& text);

}  // namespace charm::cli
