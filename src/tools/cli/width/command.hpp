// `charm advise threads`: how many threads a program should have, found by running it (tools/width/search.hpp).
#pragma once

#include "tools/cli/command.hpp"

namespace charm::cli {

/// Adds the subcommand to `charm advise`.
void declare_advise_threads(CLI::App& advise_app, Session& session);

}  // namespace charm::cli
