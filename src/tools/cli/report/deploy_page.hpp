// The page of `charm deploy bench --report`: speed-ups over the first policy, by query (OLAP on chiplets, Fig. 7 and
// 8), and for modelled machines by number of processes (Fig. 12).
#pragma once

#include <string>

#include "tools/cli/bench/host.hpp"

namespace charm::cli {

/// \param results what `charm deploy bench --json` prints. \throws Error (bad_input) if it is not that.
std::string deploy_page(const std::string& results, const Host& host, const std::string& command);

}  // namespace charm::cli
