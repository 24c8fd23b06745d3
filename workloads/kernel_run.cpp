// Timed and validated trials of every kernel on every runtime.
#include "workloads/kernel_run.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <span>
#include <string_view>
#include <utility>

#include <fmt/format.h>

#include "workloads/executor/dispatch.hpp"
#include "workloads/graph/answer.hpp"
#include "workloads/graph/betweenness.hpp"
#include "workloads/graph/bfs.hpp"
#include "workloads/graph/components.hpp"
#include "workloads/graph/graph500.hpp"
#include "workloads/graph/input.hpp"
#include "workloads/graph/pagerank.hpp"
#include "workloads/graph/sources.hpp"
#include "workloads/graph/sssp.hpp"
#include "workloads/graph/triangles.hpp"
#include "workloads/graph/validate.hpp"
#include "workloads/gups/gups.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {
namespace {

constexpr double pagerank_tolerance = 1e-4;
constexpr int pagerank_most = 1000;
constexpr int graph500_roots = 64;
constexpr int betweenness_sources = 4;  // of a trial, as in the GAP benchmark suite's specification
constexpr double gups_errors_allowed = .01;

struct Job {
  const CsrGraph& graph;
  const Weights& weights;
  const RunOptions& options;
  const std::vector<Vertex>& sources;  ///< as many a trial as Kernel::sources says
  const CsrGraph& undirected;          ///< for tc alone
  std::uint64_t triangles;             ///< the same
  const std::vector<Vertex>& numbers;  ///< of the file's vertices; empty: their own

  /// Sources in the file's numbers are what a user knows.
  [[nodiscard]] Index number_in_file(Vertex v) const {
    return numbers.empty() ? v : std::find(numbers.begin(), numbers.end(), v) - numbers.begin();
  }
};

void note_search(Trial& trial, Index source, const Reached& reached) {
  trial.work = static_cast<double>(reached.edges);
  trial.detail = fmt::format("source {} reaches {} vertices", source, reached.vertices);
}

template <Executor E>
Trial search(E& e, const Job& job, Vertex source) {
  Trial trial;
  Array<Vertex> parent;
  trial.seconds = seconds_of([&] { parent = bfs(e, job.graph, source); });
  Reached reached;
  trial.wrong = validate_bfs(e, job.graph, source, parent, reached);
  note_search(trial, job.number_in_file(source), reached);
  if (job.options.answer != nullptr) {
    const std::string title = fmt::format("bfs from {}: vertex parent", job.number_in_file(source));
    *job.options.answer = vertices_text(title, parent, job.numbers);
  }
  return trial;
}

struct BfsTrial {
  static constexpr const char* name = "bfs";
  static constexpr int sources = 1;
  template <Executor E>
  static Trial run(E& e, const Job& job, int trial) {
    return search(e, job, job.sources[static_cast<std::size_t>(trial)]);
  }
};

struct PagerankTrial {
  static constexpr const char* name = "pr";
  static constexpr int sources = 0;
  template <Executor E>
  static Trial run(E& e, const Job& job, int /*trial*/) {
    PageRank result;
    Trial trial;
    trial.seconds = seconds_of([&] { result = pagerank(e, job.graph, pagerank_tolerance, pagerank_most); });
    trial.wrong = validate_pagerank(e, job.graph, result.scores, pagerank_tolerance);
    trial.work = static_cast<double>(job.graph.edges()) * result.iterations;
    trial.detail = fmt::format("{} iterations, one more would change at most {:.2g}", result.iterations, result.change);
    if (job.options.answer != nullptr)
      *job.options.answer = scores_text("pr: vertex score", result.scores, job.numbers);
    return trial;
  }
};

struct ComponentsTrial {
  static constexpr const char* name = "cc";
  static constexpr int sources = 0;
  template <Executor E>
  static Trial run(E& e, const Job& job, int /*trial*/) {
    Array<Vertex> label;
    Trial trial;
    trial.seconds = seconds_of([&] { label = components(e, job.graph); });
    trial.wrong = validate_components(e, job.graph, label);
    trial.work = static_cast<double>(job.graph.edges());
    Index own = 0;
    for (Index v = 0; v < label.size(); ++v) own += label[v] == v;
    trial.detail = fmt::format("{} components", own);
    if (job.options.answer != nullptr) *job.options.answer = vertices_text("cc: vertex label", label, job.numbers);
    return trial;
  }
};

struct SsspTrial {
  static constexpr const char* name = "sssp";
  static constexpr int sources = 1;
  template <Executor E>
  static Trial run(E& e, const Job& job, int number) {
    const Vertex source = job.sources[static_cast<std::size_t>(number)];
    Array<Distance> distance;
    Trial trial;
    trial.seconds = seconds_of([&] { distance = sssp(e, job.graph, job.weights, source, 0); });
    Reached reached;
    trial.wrong = validate_sssp(e, job.graph, job.weights, source, distance, reached);
    note_search(trial, job.number_in_file(source), reached);
    if (job.options.answer != nullptr) {
      const std::string title = fmt::format("sssp from {}: vertex distance", job.number_in_file(source));
      *job.options.answer = distances_text(title, distance, job.numbers);
    }
    return trial;
  }
};

struct BetweennessTrial {
  static constexpr const char* name = "bc";
  static constexpr int sources = betweenness_sources;
  template <Executor E>
  static Trial run(E& e, const Job& job, int number) {
    // A source that the user names is one: the same four times would give the same scores.
    const std::size_t each = job.options.source ? 1 : betweenness_sources;
    const auto from = std::span(job.sources).subspan(static_cast<std::size_t>(number) * each, each);
    Array<float> scores;
    Trial trial;
    trial.seconds = seconds_of([&] { scores = betweenness(e, job.graph, from); });
    trial.wrong = validate_betweenness(job.graph, from, scores);
    trial.work = static_cast<double>(job.graph.edges()) * static_cast<double>(each);
    std::string title = "bc from";
    for (Vertex v : from) title += fmt::format(" {}", job.number_in_file(v));
    trial.detail = title.substr(3);
    if (job.options.answer != nullptr) *job.options.answer = scores_text(title + ": vertex score", scores, job.numbers);
    return trial;
  }
};

struct TrianglesTrial {
  static constexpr const char* name = "tc";
  static constexpr int sources = 0;
  template <Executor E>
  static Trial run(E& e, const Job& job, int /*number*/) {
    std::uint64_t count = 0;
    Trial trial;
    trial.seconds = seconds_of([&] { count = triangles(e, job.undirected); });
    if (count != job.triangles) trial.wrong = fmt::format("{} triangles instead of {}", count, job.triangles);
    trial.work = static_cast<double>(job.undirected.edges());
    trial.detail = fmt::format("{} triangles", count);
    if (job.options.answer != nullptr) *job.options.answer = fmt::format("# tc: triangles\n{}\n", count);
    return trial;
  }
};

struct Graph500Trial {
  static constexpr const char* name = "graph500";
  static constexpr int sources = 0;
  template <Executor E>
  static Trial run(E& e, const Job& job, int /*trial*/) {
    Trial total;
    std::vector<SearchTime> searches;
    for (Vertex root : pick_different_sources(job.graph, graph500_roots)) {
      Trial one = search(e, job, root);
      total.seconds += one.seconds;
      total.work += one.work;
      if (total.wrong.empty() && !one.wrong.empty()) total.wrong = fmt::format("root {}: {}", root, one.wrong);
      searches.push_back({one.seconds, one.work});
    }
    total.detail = describe(teps_statistics(searches), searches.size());
    return total;
  }
};

template <class Kernel>
KernelRun run_trials(const Runner& runner, Job job, const Progress& progress) {
  KernelRun result{Kernel::name, runner.runtime, "MTEPS", {}, {}, job.options.trials > 0, {}};
  with_executor(runner, [&](auto& e) {
    e.run([&] { e.team([](int, int) {}); });  // threads that start with their first work must not be timed with it
    for (int i = 0; i < job.options.trials; ++i) {
      if (progress) progress(Kernel::name, runner.runtime, i, job.options.trials);
      Trial trial;
      e.run([&] { trial = Kernel::run(e, job, job.options.first_trial + i); });
      add(result, trial);
    }
  });
  return result;
}

template <class... Kernels>
struct KernelList {
  static constexpr bool has_names(const std::array<const char*, sizeof...(Kernels)>& names) {
    std::size_t at = 0;
    return ((std::string_view(names[at++]) == Kernels::name) && ...);
  }
  /// Calls f with the kernel of that name; false if there is none.
  template <class F>
  static bool with(const std::string& name, F&& f) {
    return ((name == Kernels::name ? (f(Kernels{}), true) : false) || ...);
  }
};

using AllKernels =
    KernelList<BfsTrial, PagerankTrial, ComponentsTrial, SsspTrial, BetweennessTrial, TrianglesTrial, Graph500Trial>;
static_assert(AllKernels::has_names(graph_kernel_names));

/// The sources of all trials up to the last of a run.
std::vector<Vertex> sources_of(const Graph::Data& data, const RunOptions& options, int each) {
  const int trials = options.first_trial + options.trials;
  const CsrGraph& graph = data.loaded.graph;
  if (!options.source) return pick_sources(graph, trials * each);
  if (*options.source < 0 || *options.source >= graph.vertices) {
    throw Error(Errc::bad_input, fmt::format("the graph has no vertex {} to start from", *options.source),
                fmt::format("vertices are numbered from 0 to {}", graph.vertices - 1));
  }
  auto source = static_cast<Vertex>(*options.source);
  if (!data.loaded.numbers.empty()) source = data.loaded.numbers[static_cast<std::size_t>(source)];
  return std::vector<Vertex>(static_cast<std::size_t>(trials), source);
}

}  // namespace

std::int64_t source_of_trial(const Graph& graph, const RunOptions& options) {
  return sources_of(graph.data(), options, 1).back();
}

double rate(const KernelRun& run) {
  std::vector<double> rates;
  rates.reserve(run.seconds.size());
  for (std::size_t i = 0; i < run.seconds.size(); ++i) {
    // A clock tick at least: a graph of a few vertices takes none.
    rates.push_back(run.work[i] / std::max(run.seconds[i], 1e-9));
  }
  if (rates.empty()) return 0;
  std::sort(rates.begin(), rates.end());
  const std::size_t middle = rates.size() / 2;
  const double median = rates.size() % 2 == 1 ? rates[middle] : (rates[middle - 1] + rates[middle]) / 2;
  return median / unit_size(run.unit);
}

void merge(KernelRun& run, const KernelRun& more) {
  if (run.verified) run.detail = more.detail;
  run.verified = run.verified && more.verified;
  run.unit = more.unit;
  run.seconds.insert(run.seconds.end(), more.seconds.begin(), more.seconds.end());
  run.work.insert(run.work.end(), more.work.begin(), more.work.end());
  run.concurrency = more.concurrency;
}

KernelRun run_kernel(const std::string& kernel, const Runner& runner, const Graph& graph, const RunOptions& options,
                     const Progress& progress) {
  KernelRun result;
  const bool known = AllKernels::with(kernel, [&]<class Kernel>(Kernel) {
    auto& data = graph.data();
    if constexpr (std::is_same_v<Kernel, SsspTrial>) weights_of(data, runner);
    const CsrGraph* undirected = &data.loaded.graph;
    if constexpr (std::is_same_v<Kernel, TrianglesTrial>) {
      undirected = &undirected_of(data, runner);
      if (!data.triangles) data.triangles = count_triangles_forward(*undirected);
    }
    const auto sources = sources_of(data, options, Kernel::sources);
    const Job job{data.loaded.graph,          data.weights,       options, sources, *undirected,
                  data.triangles.value_or(0), data.loaded.numbers};
    result = run_trials<Kernel>(runner, job, progress);
  });
  if (!known) {
    throw Error(Errc::bad_config, fmt::format("kernel '{}' is unknown", kernel),
                fmt::format("choose among {}", fmt::join(graph_kernel_names, ", ")));
  }
  return result;
}

KernelRun run_gups(int log2_words, const Runner& runner, int trials, const Progress& progress) {
  gups_bytes(log2_words);
  const Index words = Index{1} << log2_words;
  KernelRun result{"gups", runner.runtime, "GUP/s", {}, {}, trials > 0, {}};
  with_executor(runner, [&](auto& e) {
    auto table = array_placement_of(e).template shared<std::uint64_t>(words);
    for (int i = 0; i < trials; ++i) {
      if (progress) progress("gups", runner.runtime, i, trials);
      Trial trial;
      e.run([&] {
        fill_table(e, table);
        trial.seconds = seconds_of([&] { update_table(e, table); });
        const double errors = static_cast<double>(count_errors(e, table)) / static_cast<double>(words);
        trial.work = static_cast<double>(updates_of(words));
        trial.detail = fmt::format("error rate {:.4f} %", errors * 100);
        if (errors > gups_errors_allowed) trial.wrong = trial.detail + ", the rules allow 1 %";
      });
      add(result, trial);
    }
  });
  return result;
}

std::uint64_t gups_bytes(int log2_words) {
  if (log2_words < 3 || log2_words > 40) {
    throw Error(Errc::bad_input, fmt::format("a table of 2^{} words is out of range", log2_words), "use 3 to 40");
  }
  return std::uint64_t{8} << log2_words;
}

}  // namespace charm::workloads
