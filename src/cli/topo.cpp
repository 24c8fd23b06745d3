#include "cli/topo.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <cstdlib>
#include <ostream>

#include "drawing/draw.hpp"
#include "drawing/json.hpp"
#include "drawing/svg.hpp"
#include "topology/build.hpp"

namespace charm::cli {

int topo_command(const TopoOptions& options, std::ostream& out) {
  if (options.json && options.svg)
    throw Error(Errc::bad_config, "--json and --svg exclude each other", "choose one of them");
  // Quietly: the notes that discovery would print to stderr are part of every form of the output.
  const Machine machine =
      options.from.empty() ? topology::discover_quietly(std::getenv("CHARM_TOPOLOGY")) : Machine::from(options.from);
  if (options.json) {
    out << drawing::json_text(machine);
  } else if (options.svg) {
    out << drawing::svg(machine);
  } else {
    out << drawing::draw(machine, {.ascii = options.ascii, .colour = options.colour});
  }
  return 0;
}

}  // namespace charm::cli
