// A record of the accesses of graph kernels, stored as data (src/tools/sim/graphs/*.json): the edges of each step's
// frontier, and how often the lines of the vertices' state were touched, in classes, the most popular first.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/workload.hpp"

namespace charm::sim {

struct GraphRecord {
  struct Run {
    std::string kernel;
    std::vector<double> steps;  // edges of each step
    double writes = 0;          // share of the touches that changed a vertex
    Popularity popularity;
    [[nodiscard]] double edges() const;
  };
  std::string name;
  double vertices = 0, arcs = 0;
  std::vector<Run> runs;

  [[nodiscard]] const Run& run(std::string_view kernel) const;
};

/// The record that is built in.
const GraphRecord& recorded_graph();

/// \throws Error (bad_input).
GraphRecord parse_graph_record(const std::string& json, const std::string& origin);
std::string graph_record_json(const GraphRecord& record);

/// Classes of lines, the most touched first, from the number of touches of each.
Popularity popularity_of(std::vector<double> touches);

}  // namespace charm::sim
