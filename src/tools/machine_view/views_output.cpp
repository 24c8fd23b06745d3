// The views of a machine as text and JSON.
#include <charm/error.hpp>

#include <algorithm>

#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/machine_view/json.hpp"
#include "tools/machine_view/text.hpp"
#include "tools/machine_view/views.hpp"

namespace charm::machine_view {
namespace {

constexpr std::size_t width = 80;

std::string cell(const CpuGroups& groups) { return groups.empty() ? "-" : std::to_string(groups.size()); }

std::string right(const std::string& text, std::size_t columns_wide) {
  return std::string(columns_wide > text.size() ? columns_wide - text.size() : 1, ' ') + text;
}

std::string row(const std::string& name, const std::string& sockets, const std::string& nodes,
                const std::string& chiplets, const std::string& cores, const std::string& cpus) {
  return base::padded(name, 10) + right(sockets, 9) + right(nodes, 7) + right(chiplets, 10) + right(cores, 7) +
         right(cpus, 7) + "\n";
}

std::size_t cpus_in(const View& view) {
  std::size_t most = 0;
  for (const CpuGroups* groups : {&view.cores, &view.chiplets, &view.nodes, &view.sockets}) {
    std::size_t cpus = 0;
    for (const auto& group : *groups) cpus += group.size();
    most = std::max(most, cpus);
  }
  return most;
}

void paragraph(std::string& out, const std::string& label, const std::string& text, const std::string& colour) {
  std::string indent = label;
  for (const std::string& line : wrapped(text, width - base::display_width(label))) {
    out += colour.empty() ? indent + line + '\n' : colour + indent + line + "\033[0m\n";
    indent.assign(base::display_width(label), ' ');
  }
}

base::Json groups_of(const View& view) {
  return {{"source", view.source},
          {"cores", view.cores},
          {"chiplets", view.chiplets},
          {"nodes", view.nodes},
          {"sockets", view.sockets}};
}

}  // namespace

std::string views_text(const Views& views, bool ascii, bool colour) {
  std::string out = row("view", "sockets", "nodes", "chiplets", "cores", "cpus");
  for (const View& view : views.views) {
    out += row(view.source, cell(view.sockets), cell(view.nodes), cell(view.chiplets), cell(view.cores),
               std::to_string(cpus_in(view)));
  }
  const Machine& m = views.machine;
  out += row("allowed", std::to_string(m.sockets.size()), std::to_string(m.nodes.size()),
             std::to_string(m.chiplets.size()), std::to_string(m.cores.size()), std::to_string(m.allowed_cpus.size()));
  if (!views.features.empty() || !views.disagreements.empty()) out += '\n';
  for (const auto& feature : views.features) paragraph(out, ascii ? "* " : "• ", feature, "");
  for (const auto& d : views.disagreements)
    paragraph(out, ascii ? "! " : "≠ ", d.level + ", " + d.between + " disagree: " + d.text + ".",
              colour ? "\033[33m" : "");
  return out;
}

std::string view_groups_text(const Views& views, const std::string& source) {
  std::string out;
  for (const View& view : views.views) {
    if (!source.empty() && view.source != source) continue;
    out += view.source + '\n';
    const auto level = [&](const std::string& name, const CpuGroups& groups) {
      if (groups.empty()) {
        out += "  " + name + ": unknown\n";
        return;
      }
      std::string text;
      for (const auto& group : groups) text += (text.empty() ? "" : "  ") + format_cpus(group);
      paragraph(out, "  " + name + ": ", text, "");
    };
    level("sockets", view.sockets);
    level("nodes", view.nodes);
    level("chiplets", view.chiplets);
    level("cores", view.cores);
  }
  if (out.empty()) {
    throw Error(Errc::bad_config, "there is no view '" + source + "' of this machine",
                source == "measured" ? "measure it with 'charm probe'" : "'charm topo' lists the views that there are");
  }
  return out;
}

std::string views_json(const Views& views) {
  base::Json json = to_json(views.machine);
  json["views"] = base::Json::array();
  for (const View& view : views.views) json["views"].push_back(groups_of(view));
  json["disagreements"] = base::Json::array();
  for (const auto& d : views.disagreements)
    json["disagreements"].push_back({{"level", d.level}, {"between", d.between}, {"text", d.text}});
  json["kinds"] = base::Json::array();
  for (const auto& kind : views.kinds)
    json["kinds"].push_back({{"name", kind.name}, {"efficiency", kind.efficiency}, {"cpus", kind.cpus}});
  json["features"] = views.features;
  if (!views.placed_by.empty()) json["placed_by"] = views.placed_by;
  return base::json_text(json, 2) + '\n';
}

}  // namespace charm::machine_view
