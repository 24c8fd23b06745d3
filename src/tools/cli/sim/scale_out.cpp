// `charm sim scale-out`: a program of many machines.
#include "tools/sim/network/scale_out.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/format.hpp"
#include "base/json.hpp"
#include "tools/cli/options.hpp"
#include "tools/cli/sim/choices.hpp"
#include "tools/cli/sim/output.hpp"
#include "tools/cli/sim/subcommands.hpp"
#include "tools/cli/text_table.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

struct ScaleOutRequest {
  SimRequest local;  // machines, workloads, policies and workers of each machine
  std::vector<std::string> networks;
  std::vector<int> machine_counts;  // ascending
  int scale = 30;
  bool weak = false;
  std::optional<int> window;  // buffers on the way to a machine; else as charm::remote has it
};

constexpr double worth_doubling = 1.5;  // times the throughput, by twice the machines

struct Curve {
  std::string machine, network, policy, workload;
  int workers = 1;
  std::vector<sim::ScaleOut> points;
};

std::vector<Curve> curves_of(const ScaleOutRequest& request) {
  std::vector<Curve> curves;
  for (const auto& machine : request.local.machines) {
    const sim::Model model = sim::model(machine);
    const int cores = static_cast<int>(model.machine.cores.size());
    const std::vector<int> workers = request.local.workers.empty() ? std::vector{cores} : request.local.workers;
    for (const auto& network : request.networks) {
      for (const auto& workload : request.local.workloads) {
        for (const auto& policy : request.local.policies) {
          for (const int count : workers) {
            sim::ScaleOutOptions options;
            options.workload = workload;
            options.policy = policy;
            options.workers = count;
            options.scale = request.scale;
            options.weak = request.weak;
            options.messaging.window = request.window.value_or(options.messaging.window);
            curves.push_back({model.name, network, policy, workload, count,
                              sim::scale_out(model, sim::network(network), request.machine_counts, options)});
          }
        }
      }
    }
  }
  return curves;
}

/// Whether so many more machines are worth their number: at least 1.5 times as much for each doubling.
bool worthwhile(const sim::ScaleOut& before, const sim::ScaleOut& after) {
  const double doublings = std::log2(static_cast<double>(after.machines) / before.machines);
  return after.throughput / before.throughput >= std::pow(worth_doubling, doublings);
}

/// From where on no further machines are worth their number, and why. What one machine loses by having to talk at all
/// is the efficiency.
std::string verdict(const Curve& curve) {
  const auto& points = curve.points;
  std::size_t last = points.size() > 1 && points[0].machines == 1 ? 1 : 0;
  for (std::size_t next = last + 1; next < points.size(); ++next)
    if (worthwhile(points[last], points[next])) last = next;
  if (last + 1 == points.size()) return "Scales as far as was asked.";
  const sim::ScaleOut& next = points[last + 1];
  return fmt::format("Stops scaling at {} machine{}: {} do {} of that. Most of their time is for: {}.",
                     points[last].machines, points[last].machines == 1 ? "" : "s", next.machines,
                     base::format_percent(next.throughput / points[last].throughput),
                     sim::part_names[static_cast<std::size_t>(next.limit())]);
}

std::string table_of(const Curve& curve, bool colour) {
  using Align = Column::Align;
  const std::vector<Column> columns = {{"machines", Align::right}, {"throughput", Align::right},
                                       {"", Align::left},          {"efficiency", Align::right},
                                       {"most time", Align::left}, {"buffers filled", Align::right},
                                       {"buffers", Align::right}};
  std::vector<std::vector<Cell>> rows;
  for (const auto& point : curve.points) {
    rows.push_back(
        {{std::to_string(point.machines), ""},
         {in_thousands(point.throughput), ""},
         {point.unit + "/s", ""},
         {base::format_percent(point.efficiency), ""},
         {std::string(sim::part_names[static_cast<std::size_t>(point.limit())]), ""},
         {point.machines == 1 ? "–" : base::format_percent(point.filled), ""},
         {point.machines == 1 ? "–" : base::format_bytes(static_cast<std::uint64_t>(point.buffer_memory)), ""}});
  }
  return fmt::format("{} on machines like {}, {} workers each under {}, over {}: {}\n\n{}\n{}\n", curve.workload,
                     curve.machine, curve.workers, curve.policy, curve.network, sim::network(curve.network).summary,
                     render_table(columns, rows, colour), verdict(curve));
}

Json json_of(const Curve& curve, const ScaleOutRequest& request) {
  Json points = Json::array();
  for (const auto& point : curve.points) {
    Json parts = Json::object();
    for (std::size_t i = 0; i < sim::part_names.size(); ++i) parts[std::string(sim::part_names[i])] = point.parts[i];
    points.push_back({{"machines", point.machines},
                      {"seconds", point.seconds},
                      {"throughput", point.throughput},
                      {"unit", point.unit + "/s"},
                      {"efficiency", point.efficiency},
                      {"limit", sim::part_names[static_cast<std::size_t>(point.limit())]},
                      {"part_seconds", parts},
                      {"items_per_message", point.items_per_message},
                      {"buffers_filled", point.filled},
                      {"buffer_bytes", point.buffer_memory},
                      {"sent_bytes", point.sent_bytes}});
  }
  return {{"machine", curve.machine},   {"network", curve.network}, {"source", sim::network(curve.network).source},
          {"workload", curve.workload}, {"policy", curve.policy},   {"workers", curve.workers},
          {"scale", request.scale},     {"weak", request.weak},     {"points", points}};
}

std::vector<int> parse_machine_counts(const std::string& text) {
  std::vector<int> counts = parse_counts("--machines", text);
  std::sort(counts.begin(), counts.end());
  counts.erase(std::unique(counts.begin(), counts.end()), counts.end());
  return counts;
}

/// Tables, or JSON. \throws Error (bad_config, too_many_workers) before anything is simulated.
std::string scale_out_text(const ScaleOutRequest& request, bool json, bool colour) {
  for (const auto& name : request.networks) sim::network(name);
  const std::vector<Curve> curves = curves_of(request);
  if (json) {
    Json list = Json::array();
    for (const Curve& curve : curves) list.push_back(json_of(curve, request));
    return base::json_text(Json{{"curves", list}}, 2) + "\n";
  }
  std::string text;
  for (const Curve& curve : curves) text += (text.empty() ? "" : "\n") + table_of(curve, colour);
  return text;
}

struct ScaleOutArguments : SimChoices {
  std::string networks = "all", machine_counts = "1..256";
  int scale = 30;
  bool weak = false;
  std::optional<int> window;
};

std::vector<std::string> network_names() {
  return names_of(sim::networks(), [](const auto& n) { return n.name; });
}

int scale_out(const ScaleOutArguments& options, Session& session) {
  ScaleOutRequest request;
  request.local = request_of(options);
  if (options.workload.empty()) request.local.workloads = {"gups", "bfs"};
  request.networks = listed(options.networks, network_names());
  request.machine_counts = parse_machine_counts(options.machine_counts);
  request.scale = options.scale;
  request.weak = options.weak;
  request.window = options.window;
  const bool colour = !options.output.json && colour_on_stdout(options.output.colour);
  session.out << scale_out_text(request, options.output.json, colour);
  return exit_done;
}

}  // namespace

void declare_sim_scale_out(CLI::App& sim, Session& session) {
  CLI::App* app = sim.add_subcommand("scale-out", "How far a program of many machines scales, one rank on each");
  auto options = std::make_shared<ScaleOutArguments>();
  add_machines(*app, *options);
  app->add_option("--workload", options->workload, "Workloads: gups, bfs [both]");
  add_policies(*app, *options);
  app->add_option("--workers", options->workers, "Workers on each machine: 64, or 8,16,32, or 8..128 [a core each]");
  not_empty(app->add_option("--network", options->networks,
                            "Networks between them: " + joined(network_names()) + "; all [all]"));
  not_empty(app->add_option("--machines", options->machine_counts, "Numbers of machines: 4,16,64 or 1..256 [1..256]"));
  whole_number(app->add_option("--scale", options->scale, "2^N words or vertices in all [30]"), 10, 48);
  app->add_flag("--weak", options->weak, "2^N words or vertices on each machine");
  whole_number(
      app->add_option("--window", options->window, "Buffers on the way to a machine [two a worker, at least 8]"), 1,
      65536);
  add_output_options(*app, options->output);
  app->callback([&session, options] { session.action = [&session, options] { return scale_out(*options, session); }; });
}

}  // namespace charm::cli
