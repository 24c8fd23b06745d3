// A task graph as data: what selectors are trained and judged with. A file has a line of JSON for each graph, after one
// that says what the file is (docs/design/graph-selectors.md has the format).
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/json.hpp"

namespace charm::selector_training {

struct GraphPlan {
  struct Node {
    std::uint32_t kind = 0;            // an index of `kinds`
    std::uint32_t work = 1;            // elements of the BLAS-1 kernel (kernel.hpp)
    std::int32_t choice = -1;          // of a condition: the number of the edge that it chooses; -1: an ordinary node
    std::vector<std::uint32_t> after;  // nodes to which edges lead
  };
  std::string id;      // "cholesky-17": of one file, different for each graph
  std::string family;  // "cholesky"
  std::vector<std::string> kinds;
  std::vector<Node> nodes;

  [[nodiscard]] std::size_t edges() const;
  /// Elements of all nodes.
  [[nodiscard]] std::uint64_t work() const;
};

/// Limits of what is read: a file may be anybody's.
inline constexpr std::size_t most_plan_nodes = 1U << 20U;
inline constexpr std::size_t most_plan_kinds = 64;
inline constexpr std::uint32_t most_work = 100'000'000;

base::Json plan_json(const GraphPlan& plan);
/// \param origin for errors: "graphs.jsonl, line 3". \throws Error (bad_input) that says what is wrong. Whether there
/// is a cycle is found where the graph is built.
GraphPlan plan_from(const base::Json& json, const std::string& origin);

/// The first line of a file. \param what "graphs" or "labels".
base::Json file_header(const std::string& what);

/// Reads a file line by line. \param what as above. \return the lines as JSON, the header first.
/// \throws Error (bad_input): it cannot be read, is no such file, or a line is no JSON. \param may_end_early the last
/// line may be incomplete, and is left out then: the writer was interrupted.
std::vector<base::Json> read_lines(const std::string& path, const std::string& what, bool may_end_early = false);

}  // namespace charm::selector_training
