// `charm advise olap`: how to deploy an analytical engine's workers (tools/deploy/advise.hpp).
#pragma once

#include "tools/cli/command.hpp"

namespace charm::cli {

/// Adds the subcommand to `charm advise`.
void declare_advise_olap(CLI::App& advise_app, Session& session);

}  // namespace charm::cli
