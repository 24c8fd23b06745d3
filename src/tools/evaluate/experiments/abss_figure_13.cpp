// ABSS Fig. 13 (§4.4.3): sparse factorisations as task graphs on CHARM, beside the same graphs on OpenMP's tasks and on
// oneTBB. The paper's matrices are of the UF collection, drawn at random; here a Laplacian of a cube stands for them.
#include <string>
#include <tuple>

#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

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

Plan plan_abss_figure_13(const Context& context) {
  const int workers = socket_cores(context.machine());
  Plan out{.x = "workers", .y = "CHARM over the other runtime"};
  out.notes = {"One generated matrix, the Laplacian of a cube, instead of matrices of the UF collection.",
               "CHARM's graphs run by the schedule stream; no classifier is shipped (docs/task-graphs.md).",
               "The predictions are of the graphs of 8000 columns that were recorded with CHARM."};
  const BenchRows rows{"local", workers, context.quick() ? 7 : 15, "charm,openmp,tbb"};
  out.jobs = {bench_job("factorisations of a Laplacian",
                        with_rows({"factor", "--matrix", "laplace3d", "--size", context.quick() ? "8000" : "64000",
                                   "--kernel", "qr,lq,lu,cholesky"},
                                  rows),
                        context.quick() ? 45 : 600)};
  for (const Routine& each : routines) {
    for (const auto& [runtime, published, schedule] :
         {std::tuple<std::string, double, sim::DagSchedule>{"openmp", each.over_openmp, sim::DagSchedule::one_queue},
          {"tbb", each.over_tbb, sim::DagSchedule::random_deques}}) {
      out.points.push_back(
          {.series = std::string(each.name) + ", " + runtime,
           .x = static_cast<double>(workers),
           .first = row(each.name, "charm", "local", workers),
           .second = row(each.name, runtime, "none", workers),
           .expect = Expect::ahead,
           .published = published,
           .source = "§4.4.3, text: 128 cores",
           .predicted = factor_ratio(context, each.graph, schedule, sim::DagSchedule::chiplet_queues, workers)});
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
    .needs = {.cores = 8, .chiplets = 2, .benchmark = "factor"},
    .plan = plan_abss_figure_13};

}  // namespace charm::evaluate
