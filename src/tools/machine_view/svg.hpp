// A machine as a self-contained SVG element, for an HTML page or a file of its own; the workers' cores can be marked.
#pragma once

#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include <span>
#include <string>

namespace charm::machine_view {

/// \param cores of workers 0, 1, ...; those without a core are not shown.
/// \param remarks lines below the drawing.
std::string svg(const Machine& machine, std::span<const WorkerCore> worker_cores = {},
                std::span<const std::string> remarks = {});

}  // namespace charm::machine_view
