// The one entry by which a program runs a workload on a runtime and gets a verified, timed answer: `charm bench` and
// the benchmarks are written on this header alone. Invariant: a KernelRun's seconds hold the kernel and nothing else
// (no generation, no weights, no validation), and `verified` is true only if every trial's answer passed its validator.
// The workloads are those of CHARM §5.1, BFS, PageRank, connected components, SSSP, Graph500 and RandomAccess (GUPS),
// and the two others of the GAP benchmark suite, betweenness centrality and triangle counting.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "workloads/activity.hpp"
#include "workloads/array_placement.hpp"
#include "workloads/files/input_file.hpp"
#include "workloads/names.hpp"

namespace charm::workloads {

/// The result of the trials of one kernel on one runtime.
struct KernelRun {
  std::string kernel;           ///< one of graph_kernel_names, gups, or one of sgd_kernel_names
  std::string runtime;          ///< charm, openmp, tbb or serial
  std::string unit;             ///< unit of rate(): "MTEPS", "GUP/s" or "GB/s"
  std::vector<double> seconds;  ///< one a trial; for graph500 a trial is the sum over its 64 searches
  std::vector<double> work;     ///< one a trial: edges traversed, updates made or bytes of samples read
  bool verified = false;        ///< every trial's answer passed
  std::string detail;  ///< one line: what the validator found wrong, or figures of the kernel's own (TEPS, errors)
  std::optional<ThreadConcurrency> concurrency = {};  ///< of the last trial, if the kernel's bodies are recorded (SGD)
};

/// Work per second of the median trial in the run's unit; 0 without trials.
double rate(const KernelRun& run);

/// Appends the trials of `more`, which is the same kernel on the same runtime: trials of several runtimes can be
/// interleaved one at a time and still be reported together. The run stays verified only if both are.
void merge(KernelRun& run, const KernelRun& more);

/// What graphs can be generated.
enum class GraphKind : std::uint8_t {
  kronecker,   ///< Graph500's: few vertices have most of the edges, and any two are near each other
  uniform,     ///< both ends of an edge are drawn evenly
  grid,        ///< like a network of roads: four neighbours, long paths
  web,         ///< directed; links are mostly short, and pages differ much in how many lead to them
  roads,       ///< points in the plane, each joined with those next to it
  caterpillar  ///< a path with a vertex hanging on each of its vertices
};

/// How vertices can be numbered (graph/order.hpp).
enum class VertexOrder : std::uint8_t {
  given,  ///< as generated or in the file
  reverse,
  random,
  degree_up,
  degree_down,
  bfs,                    ///< as a breadth-first search finds them
  cuthill_mckee,          ///< the same, by ascending degree
  reverse_cuthill_mckee,  ///< as for sparse matrices
  bfs_reverse,
  dfs,  ///< as a depth-first search finds them
  dfs_reverse,
  zigzag  ///< the first, the last, the second, the last but one, …
};

/// \throws Error (bad_config) for a name that there is not.
GraphKind graph_kind_named(std::string_view name);

/// \throws Error (bad_config) for a name that there is not.
VertexOrder vertex_order_named(std::string_view name);

struct GenerateOptions {
  int scale = 16;          ///< 2^scale vertices, 1 to 30
  int degree = 16;         ///< edges drawn per vertex (Graph500's edge factor); a grid has its own
  std::uint64_t seed = 1;  ///< the same seed gives the same graph for any runtime and number of workers
  GraphKind kind = GraphKind::kronecker;
  VertexOrder order = VertexOrder::given;
};

struct LoadOptions {
  bool undirected = false;  ///< read every edge of an edge list or general matrix in both directions
  std::uint64_t seed = 1;   ///< seed of weights, if the file has none that SSSP can use
  VertexOrder order = VertexOrder::given;
};

/// How to run: by which runtime and on how many of its workers (0: as many as the process may use). For "charm" the
/// caller has initialised the runtime, and its number of workers holds. \c memory says where the arrays of "charm" lie
/// on a machine with several NUMA nodes; a graph's are placed when it is made, for the workers of that moment.
struct Runner {
  std::string runtime = "serial";
  int workers = 0;
  Memory memory = Memory::partitioned;
};

/// A graph in memory, ready for the kernels. Errors are charm::Error(bad_input) and name file and line.
class Graph {
 public:
  static Graph generate(const GenerateOptions& options, const Runner& runner);
  static Graph load(const InputFile& input, const LoadOptions& options, const Runner& runner);
  Graph(Graph&&) noexcept;
  Graph& operator=(Graph&&) noexcept;
  ~Graph();

  [[nodiscard]] std::int64_t vertices() const;
  [[nodiscard]] std::int64_t edges() const;  ///< an undirected edge counts once
  [[nodiscard]] bool directed() const;
  [[nodiscard]] std::string describe() const;  ///< "kronecker scale 18, degree 16, seed 1: 262144 vertices, …"

  struct Data;
  [[nodiscard]] Data& data() const { return *data_; }

 private:
  explicit Graph(std::unique_ptr<Data> data);
  std::unique_ptr<Data> data_;
};

struct RunOptions {
  int trials = 1;
  int first_trial = 0;  ///< trial t starts from the t-th source of the graph's sequence: the same for every runtime
  std::optional<std::int64_t> source = {};  ///< where searches start, a vertex of the file; else by GAPBS's rule
  std::string* answer = nullptr;            ///< gets the last trial's answer as text (graph/answer.hpp)
};

/// Called before every trial: kernel, runtime, trial (from 0) and how many there are.
using Progress = std::function<void(const std::string& kernel, const std::string& runtime, int trial, int trials)>;

/// The vertex from which a search of one trial starts, as the graph numbers it now. \throws Error (bad_input) as
/// run_kernel.
std::int64_t source_of_trial(const Graph& graph, const RunOptions& options);

/// Runs and validates. Unknown names are charm::Error(bad_config). Weights are made on the first use of sssp, untimed.
KernelRun run_kernel(const std::string& kernel, const Runner& runner, const Graph& graph,
                     const RunOptions& options = {}, const Progress& progress = {});

/// RandomAccess on a table of 2^log2_words words of 8 bytes (3 to 40), with 4 updates a word.
KernelRun run_gups(int log2_words, const Runner& runner, int trials, const Progress& progress = {});

/// Bytes that a run needs at its peak, to refuse beforehand what cannot fit: the graph with weights and the largest
/// kernel's state, and the table.
/// \param nodes number of nodes that have workers; on several of them the graph is put together a second time, or
/// copied to each.
std::uint64_t generated_bytes(const GenerateOptions& options, Memory memory = Memory::touched, int nodes = 1);
std::uint64_t gups_bytes(int log2_words);

}  // namespace charm::workloads
