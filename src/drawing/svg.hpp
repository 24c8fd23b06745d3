// A machine as a self-contained SVG element, to stand in an HTML page or a file of its own; workers' seats can be
// marked.
#pragma once

#include <charm/machine.hpp>
#include <charm/placement.hpp>

#include <span>
#include <string>

namespace charm::drawing {

/// \param seats of workers 0, 1, ...; those without a core are not shown.
/// \param remarks lines below the drawing.
std::string svg(const Machine& machine, std::span<const Seat> seats = {}, std::span<const std::string> remarks = {});

}  // namespace charm::drawing
