#include "tools/sim/width.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <set>

#include "controller/setup.hpp"
#include "tools/base/parallel.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/policies/all.hpp"
#include "tools/sim/steady.hpp"

namespace charm::sim {
namespace {

constexpr const char* policy = "adaptive";
constexpr double minute = 60;

/// 1, 2, 3, ... in steps of at most a tenth from 10 on, and all.
std::set<int> numbers(int workers) {
  std::set<int> out{workers};
  for (int count = 1; count < workers; count = std::max(count + 1, count * 11 / 10)) out.insert(count);
  return out;
}

/// The rate at each width and level of the plan, in the order in which they are tried.
std::vector<WidthPoint> all_widths(const Model& model, const Workload& work, SimulationPlan plan,
                                   const RunOptions& options) {
  auto& placement = plan.placement;
  const auto setup = controller::setup_for(model.machine, placement, controller::traits_for(model.machine));
  const auto workers = static_cast<int>(placement.start().size());
  std::vector<WidthPoint> points;
  std::vector<std::size_t> rows;
  for (std::size_t at = 0; at < placement.levels.size(); ++at) {
    for (const int count : numbers(workers)) {
      for (const auto shape : {controller::WidthShape::thin, controller::WidthShape::packed}) {
        if (shape == controller::WidthShape::packed && (count == 1 || count == workers)) continue;
        const WidthPoint point{{count, shape}, placement.levels[at]};
        const auto rests = controller::resting_at(setup, point.level, point.spread);
        std::vector<WorkerCore> row;
        for (std::size_t w = 0; w < rests.size(); ++w) {
          if (rests[w] == 0) row.push_back(placement.worker_cores[at][w]);
        }
        points.push_back(point);
        rows.push_back(count == workers ? at : placement.worker_cores.size());
        if (count < workers) placement.worker_cores.push_back(std::move(row));
      }
    }
  }
  SteadyStates states(model, work, plan, options.backend, options.seed);
  for (std::size_t i = 0; i < points.size(); ++i) points[i].rate = states.at(0, rows[i]).operations_per_s;
  return points;
}

WidthResult width_of(const Model& model, const std::string& spec, int workers, RunOptions options) {
  WidthResult out;
  out.machine = model.name;
  out.workload = spec;
  out.workers = workers > 0 ? workers : static_cast<int>(model.machine.cores.size());
  const Workload work = workload(spec, out.workers);
  const SimulationPlan plan = plan_for(policy, model, work, out.workers);
  for (const WidthPoint& point : all_widths(model, work, plan, options)) {
    if (point.rate > out.best.rate * (1 + 1e-9)) out.best = point;
    if (point.level.workers == out.workers && point.rate > out.full.rate * (1 + 1e-9)) out.full = point;
  }
  double sum = 0;
  for (int minutes = 0; minutes < 4; ++minutes) {
    options.warm_up = minutes * minute;
    options.seconds = minute;
    options.width = true;
    const RunResult chosen = run(model, spec, policy, out.workers, options);
    options.width = false;
    const double ratio = chosen.throughput / run(model, spec, policy, out.workers, options).throughput;
    if (minutes < 3) sum += chosen.throughput, out.worst_minute = std::min(out.worst_minute, ratio);
    if (minutes == 3) out.learned = chosen.throughput, out.running = chosen.running;
  }
  out.learning = sum / 3;
  return out;
}

}  // namespace

std::vector<std::string> width_workloads() {
  return {"contended",
          "contended:compute_ns=1000",
          "contended:moved=3,hold_ns=100,compute_ns=500",
          "triad",
          "sweep:mb=24",
          "uniform",
          "streamcluster",
          "compute"};
}

std::vector<WidthResult> widths(const std::vector<std::string>& machines, const std::vector<std::string>& workloads,
                                const RunOptions& options, int workers, int jobs) {
  for (const auto& spec : workloads) {
    if (workload(spec, 1).phases.size() > 1) {
      throw Error(Errc::bad_config, "workload '" + spec + "' takes turns, so that no number of workers is the best",
                  "give one workload at a time, or run it with --adaptive-width");
    }
  }
  std::vector<Model> models;
  for (const auto& name : machines) models.push_back(model(name));
  std::vector<WidthResult> all(models.size() * workloads.size());
  base::for_each_piece(all.size(), jobs, [&](std::size_t i) {
    all[i] = width_of(models[i / workloads.size()], workloads[i % workloads.size()], workers, options);
  });
  return all;
}

}  // namespace charm::sim
