// Ends the processes of a deployment: asks them, waits, and kills those that stay.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "tools/deploy/state.hpp"

namespace charm::deploy {

struct Ending {
  std::size_t asked = 0;   ///< processes of workers that ended after they were asked to
  std::size_t killed = 0;  ///< processes that had to be killed
  std::size_t left = 0;    ///< processes that could not be ended (another user's)
};

/// \param grace_s how long the workers may take.
/// \param meanwhile called while it waits: the supervisor collects its children there.
Ending end_workers(const State& state, double grace_s, const std::function<void()>& meanwhile = [] {});

/// Kills what is left of a worker whose own process has ended. \returns how many there were.
std::size_t kill_rest_of(const State& state, std::size_t worker);

}  // namespace charm::deploy
