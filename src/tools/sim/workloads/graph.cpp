// bfs, cc, sssp, pagerank, graph500: edges are read in order, each worker its part of the frontier's, and for each edge
// the state of a vertex anywhere. How often each line of that state is touched, how many steps there are and how many
// edges each has was recorded from runs of the kernels in workloads/graph on a Kronecker graph (src/tools/sim/graphs).
//
// In the program of CHARM's public artifact, the vertices of the kernels that its graph_do() runs hold the flag of
// being active, and each step rewrites it in every vertex: lines change hands though nothing of the result changes. For
// breadth-first search on the recorded graph that is 7 steps x vertices / edges = .25 of the touches; what is used is
// one fitted share for these kernels (costs.hpp). The artifact's Graph500 search has a frontier of its own and no
// flags.
#include <cmath>

#include "tools/sim/costs.hpp"
#include "tools/sim/graph_record.hpp"
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

struct Kernel {
  const char* name;
  double edge_bytes;   // of an edge as it is read
  double state_bytes;  // of a vertex
  double touches;      // of vertex state per edge
  bool flags;          // beside the state of a vertex stands whether it is active, written anew in each step
  double overlap;      // of those touches
  double own_writes;   // bytes a worker writes for itself, per edge
};

constexpr Parameter graph_parameters[] = {
    {"scale", 24, "2^scale vertices", 4, 40},
    {"degree", 16, "edges per vertex, each stored in both directions", 1, 4096},
    {"blind", free_defaults.blind_writes, "share of the touches of a vertex with flags that write for no result", 0, 1},
};

Workload make_graph(const Kernel& kernel, const Arguments& a, int workers) {
  const GraphRecord& record = recorded_graph();
  const GraphRecord::Run& run = record.run(kernel.name);
  const double vertices = std::exp2(a["scale"]), arcs = 2 * vertices * a["degree"];
  const double scaled = arcs / run.edges();
  Phase phase;
  phase.components = {
      {"edges",
       Component::Order::sweep,
       Component::Reach::own,
       arcs * kernel.edge_bytes / workers,
       kernel.edge_bytes / line_bytes,
       0,
       1,
       {},
       false},
      {"vertices", Component::Order::random, Component::Reach::shared, vertices * kernel.state_bytes, kernel.touches,
       run.writes + (kernel.flags ? a["blind"] : 0), kernel.overlap, run.popularity, false},
      {"next frontier",
       Component::Order::sweep,
       Component::Reach::own,
       vertices * 4 / workers + line_bytes,
       kernel.own_writes / line_bytes,
       1,
       1,
       {},
       false}};
  phase.compute_ns = 1;
  phase.instructions = 12;
  phase.step_operations = run.edges() * scaled / static_cast<double>(run.steps.size());
  phase.task_operations = 4096;
  return steady(kernel.name, "edges", phase);
}

Workload make_bfs(const Arguments& a, int workers) { return make_graph({"bfs", 4, 4, 1, true, 1, 0.3}, a, workers); }
Workload make_cc(const Arguments& a, int workers) { return make_graph({"cc", 4, 4, 1.5, true, 0.5, 0.1}, a, workers); }
Workload make_sssp(const Arguments& a, int workers) { return make_graph({"sssp", 5, 4, 1, true, 0.75, 1}, a, workers); }
Workload make_pagerank(const Arguments& a, int workers) {
  return make_graph({"pagerank", 4, 4, 1, true, 1, 0.5}, a, workers);
}
Workload make_graph500(const Arguments& a, int workers) {
  return make_graph({"graph500", 8, 8, 1, false, 1, 0.5}, a, workers);
}

}  // namespace

constinit const Generator bfs_generator{"bfs", "breadth-first search of a Kronecker graph", graph_parameters, make_bfs};
constinit const Generator cc_generator{"cc", "connected components of a Kronecker graph", graph_parameters, make_cc};
constinit const Generator sssp_generator{"sssp", "shortest paths in a Kronecker graph", graph_parameters, make_sssp};
constinit const Generator pagerank_generator{"pagerank", "PageRank of a Kronecker graph", graph_parameters,
                                             make_pagerank};
constinit const Generator graph500_generator{"graph500", "the Graph500 search, top-down with 8-byte vertices",
                                             graph_parameters, make_graph500};

}  // namespace charm::sim
