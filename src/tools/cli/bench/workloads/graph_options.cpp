#include "tools/cli/bench/workloads/graph_options.hpp"

#include <cstdint>

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
      .file_format = "graph file: an edge list, Matrix Market, .gr, .metis, .sg or .wsg",
      .on_ranks = true};
  return words;
}

std::vector<std::string> GraphWorkload::kernels() const { return workloads::graph_kernels(); }

void GraphWorkload::declare(CLI::App& app, BenchRequest& request) {
  whole_number(app.add_option("--scale", scale, "Generate a graph of 2^N vertices [18]"), 1, 30);
  one_of(app.add_option("--graph", kind, "The kind of the generated graph [kronecker]"), workloads::graph_kinds());
  one_of(app.add_option("--order", order, "Number the vertices anew before the kernels run [given]"),
         workloads::vertex_orders());
  declare_file(app, request, "Load an edge list, Matrix Market, DIMACS, METIS or GAPBS file");
  app.add_flag("--undirected", undirected, "Read the file's edges in both directions");
  whole_number(app.add_option("--source", source, "Start every search from this vertex [by GAPBS's rule]"), 0,
               INT32_MAX - 1);
  file_path(app.add_option("--output", output, "Write the answer of the kernel's last trial to a file"));
  declare_seed(app, request, "Seed of graph and weights [1]");
  some_of(list_option(app, "--kernel", request.kernels, "Kernels to run [all]"), kernels());
}

void GraphWorkload::check_options(const BenchRequest& request) const {
  if (undirected && !request.file)
    refuse("--undirected says how to read a file, and there is none", "add --file or drop --undirected");
  if (output && (request.kernels.size() != 1 || request.kernels.front() == "graph500"))
    refuse("--output holds the answer of one kernel other than graph500", "name it by --kernel");
  if (output && output->empty()) refuse("--output: the path is empty", "give the path of a file to write");
  check_file_option(*this, request, {{"--scale", scale.has_value()}, {"--graph", kind.has_value()}},
                    "generate a graph or load one");
}

void GraphWorkload::check_plan(const BenchPlan& plan, const Facts& facts) const {
  check_scale(*this, scale_or_default(), plan, facts);
}

}  // namespace charm::cli
