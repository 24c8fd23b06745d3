// The subcommands of `charm sim`.
#pragma once

#include "tools/cli/command.hpp"

namespace charm::cli {

/// reproduce, worst, regret, widths and assumptions: what the papers say, what the controllers find, and what the
/// model takes for granted.
void declare_sim_judging(CLI::App& sim, Session& session);

/// replay: a recorded program on other machines.
void declare_sim_replay(CLI::App& sim, Session& session);

/// scale-out: a program of many machines.
void declare_sim_scale_out(CLI::App& sim, Session& session);

/// model: a machine as the simulator sees it.
void declare_sim_model(CLI::App& sim, Session& session);

}  // namespace charm::cli
