// The options of `charm topo`; topo.cpp does the work.
#include <memory>

#include "tools/cli/commands.hpp"
#include "tools/cli/console.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/products.hpp"
#include "tools/cli/topo.hpp"

namespace charm::cli {
namespace {

struct TopoArguments {
  TopoOptions topo;
  OutputOptions output;
  bool products = false;
};

void declare_topo(CLI::App& app, Session& session) {
  auto options = std::make_shared<TopoArguments>();
  file_path(app.add_option(
      "--from,--machine", options->topo.from,
      "Show the machine of an hwloc XML file, synthetic string, profile, sysfs tree or product (2xepyc-9654)"));
  not_empty(
      app.add_option("--domains", options->topo.domains,
                     "Groups of cores that count as chiplets within a cache: cluster, a number of parts, lists of "
                     "cpus as '0-13;14-27', or a file of lists"));
  app.add_option("--diff", options->topo.diff, "Show how two machines differ (- is this one); exit code 1 if they do")
      ->expected(2)
      ->type_name("A B");
  one_of(app.add_option("--view", options->topo.view, "Print the groups of one view"),
         {"system", "cpuid", "measured", "all"});
  app.add_flag("--products", options->products, "List the products that may be named where a machine is described")
      ->excludes("--from", "--domains", "--diff", "--view");
  app.add_flag("--svg", options->topo.svg, "Print an SVG drawing");
  app.add_flag("--ascii", options->topo.ascii, "Draw with ASCII characters alone");
  add_output_options(app, options->output);
  app.callback([&session, options] {
    options->topo.json = options->output.json;
    options->topo.colour = colour_on_stdout(options->output.colour);
    session.action = [&session, options] {
      if (!options->products) return topo_command(options->topo, session.out);
      print_products(options->topo.json, options->topo.colour, session.out);
      return exit_done;
    };
  });
}

}  // namespace

Command topo_entry() {
  return {"topo", "Show sockets, NUMA nodes, chiplets and cores",
          "  charm topo --from 'pack:2 l3:8 core:8 pu:2'\n  charm topo --diff - 'pack:2 l3:8 core:8 pu:2'",
          declare_topo};
}

}  // namespace charm::cli
