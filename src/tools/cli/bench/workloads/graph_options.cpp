#include "tools/cli/bench/workloads/graph_options.hpp"

#include "tools/cli/bench/workloads/scale.hpp"
#include "tools/cli/options.hpp"
#include "workloads/names.hpp"

namespace charm::cli {

const WorkloadText& GraphWorkload::text() const {
  static constexpr WorkloadText words = {
      .name = "graph",
      .summary = "Graph kernels on a generated or loaded graph",
      .example = "  charm bench graph --scale 18 --kernel bfs,pr --policy local,distributed --report out.html",
      .title = "CHARM: graph kernels",
      .file = "graph",
      .file_format = "graph file: an edge list or Matrix Market",
      .on_ranks = true};
  return words;
}

std::vector<std::string> GraphWorkload::kernels() const { return workloads::graph_kernels(); }

void GraphWorkload::declare(CLI::App& app, BenchRequest& request) {
  whole_number(app.add_option("--scale", scale, "Generate a graph of 2^N vertices [18]"), 1, 30);
  one_of(app.add_option("--graph", kind, "The kind of the generated graph [kronecker]"), workloads::graph_kinds());
  declare_file(app, request, "Load an edge list or Matrix Market file, also gzipped");
  app.add_flag("--undirected", undirected, "Read the file's edges in both directions");
  declare_seed(app, request, "Seed of graph and weights [1]");
  some_of(list_option(app, "--kernel", request.kernels, "Kernels to run [all]"), kernels());
}

void GraphWorkload::check_options(const BenchRequest& request) const {
  if (undirected && !request.file)
    refuse("--undirected says how to read a file, and there is none", "add --file or drop --undirected");
  check_file_option(*this, request, {{"--scale", scale.has_value()}, {"--graph", kind.has_value()}},
                    "generate a graph or load one");
}

void GraphWorkload::check_plan(const BenchPlan& plan, const Facts& facts) const {
  check_scale(*this, scale_or_default(), plan, facts);
}

}  // namespace charm::cli
