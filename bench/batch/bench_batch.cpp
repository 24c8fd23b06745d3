// Task graphs against Taskflow and oneTBB's flow graph, trials interleaved: what a node costs when a graph is built and
// run once, and when it is run again. Nodes do next to nothing: each counts itself, and a wrong count ends the program.
//   bench-batch [WORKERS [NODES [TRIALS]]]
//   bench-batch --memory [NODES]     what a chain of that many nodes takes, in time and memory
//   bench-batch --selectors [NODES]  what a selector takes to choose a schedule
#include <charm/charm.hpp>
#include <charm/task_graph.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <fstream>
#include <functional>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "selectors.hpp"

#if defined(CHARM_BENCH_TBB)
#include <oneapi/tbb/flow_graph.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/task_arena.h>
#endif
#if defined(CHARM_BENCH_TASKFLOW)
#include <taskflow/taskflow.hpp>
#endif

namespace {

/// Edges as successors of each node, all to later nodes.
using Shape = std::vector<std::vector<int>>;

Shape chain(int nodes) {
  Shape shape(static_cast<std::size_t>(nodes));
  for (int i = 0; i + 1 < nodes; ++i) shape[static_cast<std::size_t>(i)] = {i + 1};
  return shape;
}
Shape wavefront(int nodes) {
  const int side = static_cast<int>(std::sqrt(nodes));
  Shape shape(static_cast<std::size_t>(side * side));
  for (int y = 0; y < side; ++y) {
    for (int x = 0; x < side; ++x) {
      auto& after = shape[static_cast<std::size_t>(y * side + x)];
      if (x + 1 < side) after.push_back(y * side + x + 1);
      if (y + 1 < side) after.push_back((y + 1) * side + x);
    }
  }
  return shape;
}
Shape random_graph(int nodes) {
  Shape shape(static_cast<std::size_t>(nodes));
  std::mt19937 random(1);
  for (int e = 0; e < 2 * nodes; ++e) {
    const int from = static_cast<int>(random() % static_cast<unsigned>(nodes));
    const int to = from + 1 + static_cast<int>(random() % 1000);
    if (to < nodes) shape[static_cast<std::size_t>(from)].push_back(to);
  }
  return shape;
}

using Counts = std::vector<int>;

class Graph {
 public:
  virtual ~Graph() = default;
  virtual void run() = 0;
};
struct Runtime {
  std::string name;
  std::function<std::unique_ptr<Graph>(const Shape&, Counts&)> build;
};

class CharmGraph : public Graph {
 public:
  CharmGraph(const Shape& shape, Counts& counts, charm::GraphSchedule schedule) {
    graph_.set_schedule(schedule);
    std::vector<charm::graph_node> nodes;
    nodes.reserve(shape.size());
    for (int& count : counts) nodes.push_back(graph_.emplace([&count] { ++count; }));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      for (const int j : shape[i]) nodes[i].precede(nodes[static_cast<std::size_t>(j)]);
    }
  }
  void run() override { graph_.run(); }

 private:
  charm::task_graph graph_;
};

#if defined(CHARM_BENCH_TASKFLOW)
class TaskflowGraph : public Graph {
 public:
  TaskflowGraph(tf::Executor& executor, const Shape& shape, Counts& counts) : executor_(executor) {
    std::vector<tf::Task> nodes;
    nodes.reserve(shape.size());
    for (int& count : counts) nodes.push_back(graph_.emplace([&count] { ++count; }));
    for (std::size_t i = 0; i < shape.size(); ++i) {
      for (const int j : shape[i]) nodes[i].precede(nodes[static_cast<std::size_t>(j)]);
    }
  }
  void run() override { executor_.run(graph_).wait(); }

 private:
  tf::Executor& executor_;
  tf::Taskflow graph_;
};
#endif

#if defined(CHARM_BENCH_TBB)
class TbbGraph : public Graph {
 public:
  TbbGraph(tbb::task_arena& arena, const Shape& shape, Counts& counts) : arena_(arena) {
    arena_.execute([&] {
      graph_ = std::make_unique<tbb::flow::graph>();  // runs where it was made
      std::vector<bool> first(shape.size(), true);
      for (int& count : counts) nodes_.emplace_back(*graph_, [&count](const tbb::flow::continue_msg&) { ++count; });
      for (std::size_t i = 0; i < shape.size(); ++i) {
        for (const int j : shape[i]) {
          tbb::flow::make_edge(nodes_[i], nodes_[static_cast<std::size_t>(j)]);
          first[static_cast<std::size_t>(j)] = false;
        }
      }
      for (std::size_t i = 0; i < shape.size(); ++i) {
        if (first[i]) sources_.push_back(&nodes_[i]);
      }
    });
  }
  void run() override {
    arena_.execute([&] {
      for (auto* node : sources_) node->try_put(tbb::flow::continue_msg());
      graph_->wait_for_all();
    });
  }

 private:
  using Node = tbb::flow::continue_node<tbb::flow::continue_msg>;
  tbb::task_arena& arena_;
  std::unique_ptr<tbb::flow::graph> graph_;
  std::deque<Node> nodes_;
  std::vector<Node*> sources_;
};
#endif

double seconds_of(const std::function<void()>& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

void compare(const char* what, const Shape& shape, int trials, const std::vector<Runtime>& runtimes) {
  constexpr int again = 5;  // runs of a built graph
  const auto nodes = static_cast<double>(shape.size());
  std::vector<std::vector<double>> built(runtimes.size()), reran(runtimes.size());
  for (int trial = -1; trial < trials; ++trial) {  // the first warms up
    for (std::size_t r = 0; r < runtimes.size(); ++r) {
      const std::size_t at = (r + static_cast<std::size_t>(trial + 1)) % runtimes.size();  // each is first in turn
      Counts counts(shape.size());
      std::unique_ptr<Graph> graph;
      const double first = seconds_of([&] {
        graph = runtimes[at].build(shape, counts);
        graph->run();
      });
      const double others = seconds_of([&] {
        for (int i = 0; i < again; ++i) graph->run();
      });
      if (std::any_of(counts.begin(), counts.end(), [](int n) { return n != again + 1; })) {
        std::fprintf(stderr, "bench-batch: %s has not run every node of the %s once a run\n", runtimes[at].name.c_str(),
                     what);
        std::exit(1);
      }
      if (trial < 0) continue;
      built[at].push_back(first / nodes * 1e9);
      reran[at].push_back(others / again / nodes * 1e9);
    }
  }
  auto ratio = [](const std::vector<double>& peer, const std::vector<double>& own) {
    std::vector<double> ratios;
    for (std::size_t i = 0; i < own.size(); ++i) ratios.push_back(peer[i] / own[i]);
    char text[64];
    std::snprintf(text, sizeof text, "%.2f (%.2f to %.2f)", median(ratios),
                  *std::min_element(ratios.begin(), ratios.end()), *std::max_element(ratios.begin(), ratios.end()));
    return std::string(text);
  };
  for (std::size_t r = 0; r < runtimes.size(); ++r)
    std::printf("%-10s %-13s %10.1f  %-22s %10.1f  %-22s\n", what, runtimes[r].name.c_str(), median(built[r]),
                ratio(built[r], built[0]).c_str(), median(reran[r]), ratio(reran[r], reran[0]).c_str());
}

long resident_bytes() {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.rfind("VmRSS:", 0) == 0) return std::atol(line.c_str() + 6) * 1024;
  }
  return 0;
}

void memory(int nodes) {
  const long before = resident_bytes();
  charm::task_graph graph;
  std::atomic<int> ran{0};
  charm::graph_node last;
  const double building = seconds_of([&] {
    for (int i = 0; i < nodes; ++i) {
      charm::graph_node node = graph.emplace([&ran] { ran.fetch_add(1, std::memory_order_relaxed); });
      if (i > 0) last.precede(node);
      last = node;
    }
  });
  const long after = resident_bytes();
  const double running = seconds_of([&] { graph.run(); });
  std::printf("%d nodes: %.1f bytes resident a node, built in %.2f s, run in %.2f s, all ran: %s\n", nodes,
              static_cast<double>(after - before) / nodes, building, running, ran == nodes ? "yes" : "no");
}

}  // namespace

int main(int argc, char** argv) {
  if (argc > 1 && std::strcmp(argv[1], "--selectors") == 0) {
    bench_selectors(argc > 2 ? std::max(1, std::atoi(argv[2])) : 2048);
    return 0;
  }
  if (argc > 1 && std::strcmp(argv[1], "--memory") == 0) {
    charm::init();
    memory(argc > 2 ? std::atoi(argv[2]) : 10'000'000);
    charm::finalize();
    return 0;
  }
  const int workers = argc > 1 ? std::atoi(argv[1]) : static_cast<int>(std::thread::hardware_concurrency());
  const int nodes = argc > 2 ? std::atoi(argv[2]) : 100'000;
  const int trials = argc > 3 ? std::atoi(argv[3]) : 11;
  if (workers < 1 || nodes < 1 || trials < 1) {
    std::fprintf(stderr, "usage: bench-batch [WORKERS [NODES [TRIALS]]]: three numbers from 1\n");
    return 2;
  }
#if defined(CHARM_BENCH_TASKFLOW)
  tf::Executor executor(static_cast<std::size_t>(workers));
#endif
#if defined(CHARM_BENCH_TBB)
  tbb::global_control limit(tbb::global_control::max_allowed_parallelism, static_cast<std::size_t>(workers));
  tbb::task_arena arena(workers);
  arena.execute([] {});
#endif
  charm::init({.workers = workers, .share_cores = true});
  std::vector<Runtime> runtimes = {
      {"charm",
       [](const Shape& s, Counts& c) { return std::make_unique<CharmGraph>(s, c, charm::GraphSchedule::stream); }},
      {"charm batch",
       [](const Shape& s, Counts& c) { return std::make_unique<CharmGraph>(s, c, charm::GraphSchedule::batch); }}};
#if defined(CHARM_BENCH_TASKFLOW)
  runtimes.push_back(
      {"taskflow", [&](const Shape& s, Counts& c) { return std::make_unique<TaskflowGraph>(executor, s, c); }});
#endif
#if defined(CHARM_BENCH_TBB)
  runtimes.push_back({"tbb flow", [&](const Shape& s, Counts& c) { return std::make_unique<TbbGraph>(arena, s, c); }});
#endif
  std::printf("%d workers, %d nodes, medians of %d trials in ns a node; times charm's, with the least and the most\n",
              workers, nodes, trials);
  std::printf("%-10s %-13s %10s  %-22s %10s  %-22s\n", "graph", "runtime", "build+run", "", "run again", "");
  compare("chain", chain(nodes), trials, runtimes);
  compare("wavefront", wavefront(nodes), trials, runtimes);
  compare("random", random_graph(nodes), trials, runtimes);
  charm::finalize();
}
