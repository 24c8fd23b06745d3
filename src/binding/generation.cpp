#include "binding/generation.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "base/notices.hpp"
#include "controller/controller.hpp"
#include "controller/width.hpp"
#include "placement/bins.hpp"
#include "placement/restrict.hpp"

namespace charm::binding {
namespace {

/// Translates the cores of a restricted machine to the ids of the whole one.
void translate(placement::Placement& placement, const Machine& machine) {
  for (auto& level : placement.worker_cores) {
    for (WorkerCore& worker_core : level) {
      if (worker_core.cpu < 0) continue;
      if (const Core* core = machine.core_of_cpu(worker_core.cpu)) {
        worker_core.core = core->id;
        worker_core.chiplet = core->chiplet;
        worker_core.node = core->node;
        worker_core.socket = core->socket;
      }
    }
  }
}

/// Cpus that the machine does not list, one for each worker. Their chiplets and nodes are not known.
placement::Placement plain_cores(const CpuSet& cpus, int workers, const std::vector<WorkerCore>& home) {
  std::vector<WorkerCore> worker_cores;
  for (int w = 0; w < workers; ++w) {
    WorkerCore worker_core = home[static_cast<std::size_t>(w)];
    worker_core.core = -1;
    worker_core.cpu = cpus[static_cast<std::size_t>(w) % cpus.size()];
    worker_cores.push_back(worker_core);
  }
  return {{1}, {std::move(worker_cores)}, 1};
}

/// \throws Error as placement policies do.
PlacementGeneration place_on(const GenerationRequest& of, const std::string& spec, const CpuSet& cpus) {
  PlacementGeneration generation;
  generation.cpus = of.cpus;
  const CpuSet known = cpus & of.machine.allowed_cpus;
  const Machine left = placement::restricted(of.machine, known);
  const int workers = of.placement.workers;
  const int room = placement::capacity(left, of.placement.smt);
  const int all = static_cast<int>(cpus.size());
  if (room < workers && all > static_cast<int>(known.size())) {
    generation.placed = std::min(workers, all);
    generation.shared = of.placement.share_cores && all < workers;
    generation.placement = plain_cores(cpus, generation.shared ? workers : generation.placed, of.home);
    return generation;
  }
  generation.placed = std::min(workers, room);
  generation.shared = of.placement.share_cores && room < workers;
  placement::Request request = of.placement;
  request.share_cores = generation.shared;
  if (!generation.shared) request.workers = generation.placed;
  generation.placement = controller::placement_for(spec, left, request);
  translate(generation.placement, of.machine);
  return generation;
}

}  // namespace

PlacementGeneration make_generation(const GenerationRequest& request) {
  if (!request.preferred.empty()) {
    try {
      return place_on(request, request.spec, request.preferred);
    } catch (const Error&) {  // the policy may accept all cpus where it refuses the preferred ones
    }
  }
  try {
    return place_on(request, request.spec, request.cpus);
  } catch (const Error& refused) {
    PlacementGeneration generation = place_on(request, "local", request.cpus);
    generation.fallback = std::string(refused.what()) + ": placed as 'local' instead";
    return generation;
  }
}

bool has_choice(const std::string& spec, const placement::Placement& placement, bool width) {
  return (width && placement.start().size() > 1) || (placement.levels.size() > 1 && controller::moves(spec));
}

std::unique_ptr<controller::ControlGroup> make_control_group(const std::string& spec, const Machine& machine,
                                                             const placement::Placement& placement, double now,
                                                             bool only_regions, bool width) {
  if (!has_choice(spec, placement, width)) return nullptr;
  controller::Setup setup = controller::setup_for(machine, placement, controller::traits_for(machine));
  const controller::Traits traits = setup.traits;
  auto make = [spec, setup = std::move(setup), width]() -> std::unique_ptr<controller::Controller> {
    auto of_the_spread = controller::make_controller(spec, setup);
    if (!width) return of_the_spread;
    if (!of_the_spread->spreads().empty()) {
      base::notice("width", "under '" + spec + "' each worker decides for itself, so all of them run: width = full");
      return of_the_spread;
    }
    return std::make_unique<controller::Width>(setup, std::move(of_the_spread));
  };
  return std::make_unique<controller::ControlGroup>(static_cast<int>(placement.start().size()), make, now, traits,
                                                    only_regions);
}

}  // namespace charm::binding
