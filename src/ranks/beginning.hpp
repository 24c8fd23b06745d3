// What init() does for a rank besides starting its runtime and its engine.
#pragma once

#include <charm/config.hpp>
#include <charm/id_set.hpp>

#include <vector>

#include "base/settings.hpp"
#include "ranks/engine.hpp"
#include "ranks/transport.hpp"

namespace charm::remote {

/// How the runtime of a rank begins.
struct Beginning {
  Config config;
  CpuSet cpus;  ///< that the thread could use before it was bound to a part of them; empty if it was not bound
};

/// Ranks of one host that nobody has bound to different cpus would place their workers on the same cores.
Beginning keep_apart(const Transport& transport, const Config& config, const base::Settings& settings);

/// Waits until the ranks have the cores that they lease: the first one of a host was alone for a moment, and took all.
void wait_for_cores(Engine& with);

/// All ranks have to run the same program; of the libraries only those matter from which functions are called.
/// \throws Error (refused).
void compare_code(Engine& with);

/// From this rank to all.
std::vector<double> measure_distances(Engine& with, const Config& config);

}  // namespace charm::remote
