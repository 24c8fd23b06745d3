// ABSS Fig. 13 (§4.4.3): sparse factorisations as task graphs on CHARM, beside the same graphs on OpenMP's tasks and on
// oneTBB. The paper's matrices are of the UF collection, drawn at random; here a Laplacian of a cube stands for them.
#include <algorithm>
#include <string>
#include <tuple>

#include <fmt/format.h>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"
#include "tools/sim/dag_schedule.hpp"

namespace charm::evaluate {
namespace {

struct Routine {
  const char* name;
  const char* graph;  // recorded; LQ is QR of the transpose, and the matrix is symmetric
  double over_openmp, over_tbb;
};

constexpr Routine routines[] = {{"qr", "qr", 1.853, 1.335},
                                {"lq", "qr", 1.845, 1.333},
                                {"lu", "lu", 1.546, 1.139},
                                {"cholesky", "cholesky", 1.371, 1.112}};

/// Graphs a second of a recorded factorisation under a schedule, by the mean of some placements of unbound threads.
Subject graph_rate(std::string name, std::string_view graph, sim::DagSchedule schedule, int workers) {
  return {std::move(name), fmt::format("{} of 8000 columns, as recorded", graph),
          [=](const sim::Model& model, const sim::Scatter& scatter) {
            constexpr std::uint64_t seeds = 5;
            const auto& dags = sim::recorded_factorisations().dags;
            const auto dag =
                std::find_if(dags.begin(), dags.end(), [&](const sim::TaskDag& each) { return each.name == graph; });
            if (dag == dags.end()) return 0.0;
            double ns = 0;
            for (std::uint64_t seed = scatter.seed; seed < scatter.seed + seeds; ++seed)
              ns += sim::run_dag(model, workers, *dag, schedule, {}, seed).makespan_ns;
            return 1e9 * static_cast<double>(seeds) / ns;
          }};
}

Plan plan_abss_figure_13(const Context& context) {
  const int workers =
      context.paper() ? static_cast<int>(context.machine().cores.size()) : socket_cores(context.machine());
  Plan out{.x = "workers", .y = "CHARM over the other runtime"};
  const bool recorded_size = context.quick() || context.paper();
  out.notes = {"One generated matrix, the Laplacian of a cube, instead of matrices of the UF collection.",
               "CHARM's graphs run by the schedule stream; no classifier is shipped (docs/task-graphs.md)."};
  if (!recorded_size)
    out.notes.emplace_back("Nothing is predicted: the recorded graphs are of 8000 columns, and 64000 are measured.");
  if (context.paper())
    out.notes = {
        "Threads that are not bound and are moved by the operating system: Fig. 10 is a picture without numbers.",
        "SuiteSparse's own tasks and the paper's matrices: the graphs are recorded from charm bench factor, "
        "laplace3d of 8000 columns, whose tasks are long enough for one queue.",
        "Memory's bandwidth and faults of new pages, which are the same for all schedules."};
  Input input{.words = {"factor", "--matrix", "laplace3d", "--size", recorded_size ? "8000" : "64000"}};
  for (const Routine& each : routines) input.kernels.push_back({each.name, ""});
  const BenchRows rows{.policies = {"local"},
                       .workers = workers,
                       .trials = context.quick() ? 7 : 15,
                       .runtimes = {"charm", "openmp", "tbb"}};
  add_bench(out, context, "factorisations of a Laplacian", input, rows, context.quick() ? 45 : 600);
  for (const Routine& each : routines) {
    const std::string mine = row(each.name, "charm", "local", workers);
    if (recorded_size) add_subject(out, graph_rate(mine, each.graph, sim::DagSchedule::chiplet_queues, workers));
    for (const auto& [runtime, published, schedule] :
         {std::tuple<std::string, double, sim::DagSchedule>{"openmp", each.over_openmp, sim::DagSchedule::one_queue},
          {"tbb", each.over_tbb, sim::DagSchedule::random_deques}}) {
      const std::string other = row(each.name, runtime, "none", workers);
      if (recorded_size) add_subject(out, graph_rate(other, each.graph, schedule, workers));
      out.points.push_back({.series = std::string(each.name) + ", " + runtime,
                            .x = static_cast<double>(workers),
                            .first = mine,
                            .second = other,
                            .expect = Expect::ahead,
                            .published = published,
                            .source = "§4.4.3, text: 128 cores"});
    }
  }
  return out;
}

}  // namespace

constinit const Experiment abss_figure_13{
    .name = "abss-fig13",
    .title = "Sparse factorisations",
    .claim = "Sparse factorisations as graphs of tasks run faster on CHARM than on OpenMP and oneTBB.",
    .paper = "ABSS Fig. 13, §4.4.3",
    .published = "1.37 to 1.85 times as fast as OpenMP, 1.11 to 1.34 times as fast as oneTBB",
    .machine = "kunpeng-920-128",
    .needs = {.cores = 8, .chiplets = 2, .benchmark = "factor"},
    .plan = plan_abss_figure_13};

}  // namespace charm::evaluate
