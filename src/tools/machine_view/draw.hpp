// A machine as text for a terminal: sockets around NUMA nodes around chiplets, with cores, caches, cpu numbers, memory,
// distances, what is forbidden and what had to be guessed. Runs of equal chiplets are folded into a grid.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>
#include <string>

namespace charm::machine_view {

struct DrawStyle {
  bool ascii = false;   // no character outside of ASCII
  bool colour = false;  // cores in green
  std::size_t width = 80;
};

/// The drawing; it ends with a line break, and no line is wider than the style says unless a single word is.
std::string draw(const Machine& machine, const DrawStyle& style = {});

}  // namespace charm::machine_view
