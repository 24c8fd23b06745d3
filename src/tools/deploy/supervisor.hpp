// `charm deploy up`: starts the workers of a plan on this machine, bound before their programs run, and starts those
// again that fail. Everything that status, verify and down need is in the state (state.hpp) before and after each step.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "tools/deploy/backoff.hpp"
#include "tools/deploy/plan.hpp"
#include "tools/deploy/target.hpp"

namespace charm::deploy {

struct UpOptions {
  TargetOptions target;
  BackoffRule backoff;
  double grace_s = 10;    ///< for the workers to end when they are asked to
  bool supervise = true;  ///< false: start them, and leave them alone
};

enum class Outcome {
  left_running,  ///< started and left alone
  stopped,       ///< a signal asked for the end
  finished,      ///< all workers ended by themselves, with exit code 0
  failed         ///< some worker was given up
};

/// Starts and supervises until a signal (HUP, INT, QUIT, TERM) or until no worker is left to run.
/// \param say gets the plan's notes, once nothing refuses it, and a line for each event.
/// \throws Error: bad_input where the plan is not for this machine, a port is taken, or a deployment runs there
/// already; system where a worker cannot be started at all (what was started is ended first).
Outcome bring_up(const Plan& plan, const Target& target, const UpOptions& options,
                 const std::function<void(const std::string&)>& say);

}  // namespace charm::deploy
