#include "tools/cli/topo.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <cstdlib>
#include <ostream>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "tools/machine_view/difference.hpp"
#include "tools/machine_view/draw.hpp"
#include "tools/machine_view/gathering.hpp"
#include "tools/machine_view/svg.hpp"
#include "tools/machine_view/views.hpp"
#include "tools/os/system_placement.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

/// "-" is this machine.
Machine machine_of(const std::string& description) {
  return description == "-"
             ? topology::discover_quietly({"", variable("CHARM_PROFILE"), variable("CHARM_DOMAINS")}).machine
             : Machine::from(description);
}

int diff(const TopoOptions& options, std::ostream& out) {
  const auto all = machine_view::differences(machine_of(options.diff.at(0)), machine_of(options.diff.at(1)));
  if (options.json) {
    base::Json json = {{"same", all.empty()}, {"differences", base::Json::array()}};
    for (const auto& d : all)
      json["differences"].push_back({{"what", d.what}, {"first", d.first}, {"second", d.second}});
    out << base::json_text(json, 2) << '\n';
  } else {
    for (const auto& d : all) out << d.what << "\n- " << d.first << "\n+ " << d.second << '\n';
  }
  return all.empty() ? 0 : 1;
}

}  // namespace

int topo_command(const TopoOptions& options, std::ostream& out) {
  if (options.json && options.svg)
    throw Error(Errc::bad_config, "--json and --svg exclude each other", "choose one of them");
  if (!options.diff.empty()) {
    if (options.diff.size() != 2 || options.svg || !options.from.empty() || !options.view.empty() ||
        !options.domains.empty())
      throw Error(Errc::bad_config, "--diff compares two machines and takes no --from, --domains, --svg or --view",
                  "write --diff A B");
    return diff(options, out);
  }
  // Quietly: the notes that discovery would print to stderr are part of every form of the output.
  topology::MachineSource source{options.from, variable("CHARM_PROFILE"), options.domains};
  if (options.from.empty()) {
    source.topology = variable("CHARM_TOPOLOGY");
    if (options.domains.empty()) source.domains = variable("CHARM_DOMAINS");
  }
  machine_view::Views views = machine_view::gather(source);
  if (views.machine.is_live()) views.placed_by = os::one_line(os::read_system_placement());
  if (options.json) {
    out << machine_view::views_json(views);
  } else if (options.svg) {
    std::vector<std::string> remarks = views.features;
    for (const auto& d : views.disagreements)
      remarks.push_back(d.level + ", " + d.between + " disagree: " + d.text + ".");
    out << machine_view::svg(views.machine, {}, remarks);
  } else if (!options.view.empty()) {
    out << machine_view::view_groups_text(views, options.view == "all" ? "" : options.view);
  } else {
    out << machine_view::draw(views.machine, {.ascii = options.ascii, .colour = options.colour});
    // A single source has nothing to be compared with.
    if (views.views.size() > 1 || !views.features.empty() || !views.disagreements.empty())
      out << '\n' << machine_view::views_text(views, options.ascii, options.colour);
    if (!views.placed_by.empty()) out << "\nThe system itself: " << views.placed_by << ".\n";
  }
  return 0;
}

}  // namespace charm::cli
