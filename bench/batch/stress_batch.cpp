// Looks for lost, doubled and early tasks: random graphs, run again and again by both schedules, and tasks that add
// tasks through the C interface in both modes. Every task is counted, and a task of a graph looks whether its
// predecessors have run in this round. A wrong count ends the program with code 1.
//   stress-batch [TASKS [WORKERS [SECONDS [SEED]]]]      tasks in each mode [100000000], or until the time is up [no
//   limit]
#include <charm/abss.h>
#include <charm/charm.hpp>
#include <charm/task_graph.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <random>
#include <thread>
#include <vector>

namespace {

using Clock = std::chrono::steady_clock;

[[noreturn]] void fail(const char* what, const char* mode, std::size_t task) {
  std::fprintf(stderr, "stress-batch: task %zu %s as %s\n", task, what, mode);
  std::exit(1);
}

struct Node {
  std::uint32_t runs = 0;
  std::vector<std::uint32_t> before;
};

/// Runs one random graph `rounds` times by a schedule. \return tasks.
std::uint64_t run_graph(std::mt19937_64& random, charm::GraphSchedule schedule, const char* mode) {
  const std::size_t size = 1 + random() % 20'000;
  const std::size_t rounds = 1 + 200'000 / size;
  const std::size_t reach = 1 + random() % size;
  std::vector<Node> nodes(size);
  std::atomic<std::uint32_t> early{0};
  std::uint32_t round = 0;
  charm::task_graph graph;
  graph.set_schedule(schedule);
  for (std::size_t i = 0; i < size; ++i) {
    graph.emplace([&nodes, &early, &round, i] {
      Node& node = nodes[i];
      for (const std::uint32_t before : node.before) {
        if (nodes[before].runs != round) early.fetch_add(1, std::memory_order_relaxed);
      }
      ++node.runs;
    });
  }
  for (std::size_t e = random() % (3 * size); e > 0; --e) {
    const std::size_t from = random() % size, to = from + 1 + random() % reach;
    if (to >= size) continue;
    graph.node(from).precede(graph.node(to));
    nodes[to].before.push_back(static_cast<std::uint32_t>(from));
  }
  for (std::size_t r = 0; r < rounds; ++r) {
    ++round;
    graph.run();
    for (std::size_t i = 0; i < size; ++i) {
      if (nodes[i].runs < round) fail("was lost", mode, i);
      if (nodes[i].runs > round) fail("ran twice", mode, i);
    }
    if (early.load() != 0) fail("ran before its predecessors", mode, early.load());
  }
  return static_cast<std::uint64_t>(size) * rounds;
}

// ---- tasks that add tasks ----

ABSS_Schedule added_as;
struct Added {
  std::uint32_t runs = 0, first = 0, count = 0;  // the tasks that it adds
};
std::vector<Added> added;

void run_added(void* params) {
  Added& task = *static_cast<Added*>(params);
  ++task.runs;
  for (std::uint32_t i = 0; i < task.count; ++i) {
    void* next = &added[task.first + i];
    if ((added_as == ABSS_BATCH ? ABSS_BatchAddTask : ABSS_StreamAddTask)(run_added, next, 1) != CHARM_OK) std::abort();
  }
}

std::uint64_t run_added_tasks(std::mt19937_64& random, ABSS_Schedule schedule, const char* mode) {
  added_as = schedule;
  const std::size_t size = 1 + random() % 200'000, widest = 1 + random() % 64;
  added.assign(size, {});
  std::size_t next = 1;
  for (std::size_t i = 0; i < next && next < size; ++i) {
    added[i].first = static_cast<std::uint32_t>(next);
    added[i].count = static_cast<std::uint32_t>(std::min<std::size_t>(1 + random() % widest, size - next));
    next += added[i].count;
  }
  added.resize(next);
  const bool batch = schedule == ABSS_BATCH;
  if ((batch ? ABSS_BatchAddTask : ABSS_StreamAddTask)(run_added, added.data(), 1) != CHARM_OK ||
      ABSS_barrier(1) != CHARM_OK)
    fail("could not be added", mode, 0);
  for (std::size_t i = 0; i < added.size(); ++i) {
    if (added[i].runs == 0) fail("was lost", mode, i);
    if (added[i].runs > 1) fail("ran twice", mode, i);
  }
  return added.size();
}

}  // namespace

int main(int argc, char** argv) {
  const double wanted = argc > 1 ? std::atof(argv[1]) : 1e8;
  const int workers = argc > 2 ? std::atoi(argv[2]) : static_cast<int>(std::thread::hardware_concurrency());
  const double seconds = argc > 3 ? std::atof(argv[3]) : 0;
  const std::uint64_t seed = argc > 4 ? std::strtoull(argv[4], nullptr, 10) : 1;
  if (wanted < 1 || workers < 1 || seconds < 0) {
    std::fprintf(stderr, "usage: stress-batch [TASKS [WORKERS [SECONDS [SEED]]]]\n");
    return 2;
  }
  charm::init({.workers = workers, .share_cores = true});
  const ABSS_System_info info = {0, nullptr, nullptr};
  if (ABSS_init(&info) != CHARM_OK) {
    std::fprintf(stderr, "stress-batch: %s\n", ABSS_error());
    return 1;
  }
  std::mt19937_64 random(seed);
  struct Mode {
    const char* name;
    std::uint64_t graph_tasks = 0, added_tasks = 0;
  } stream{"a stream"}, batch{"a batch"};
  const auto start = Clock::now();
  auto elapsed = [&] { return std::chrono::duration<double>(Clock::now() - start).count(); };
  auto tasks = [](const Mode& mode) { return static_cast<double>(mode.graph_tasks + mode.added_tasks); };
  while ((tasks(stream) < wanted || tasks(batch) < wanted) && (seconds == 0 || elapsed() < seconds)) {
    Mode& mode = tasks(stream) <= tasks(batch) ? stream : batch;
    const bool is_batch = &mode == &batch;
    mode.graph_tasks +=
        run_graph(random, is_batch ? charm::GraphSchedule::batch : charm::GraphSchedule::stream, mode.name);
    mode.added_tasks += run_added_tasks(random, is_batch ? ABSS_BATCH : ABSS_STREAM, mode.name);
  }
  for (const Mode& mode : {stream, batch})
    std::printf("%-9s %llu tasks of graphs and %llu added ones, each once and after its predecessors\n", mode.name,
                static_cast<unsigned long long>(mode.graph_tasks), static_cast<unsigned long long>(mode.added_tasks));
  std::printf("%d workers, seed %llu, %.1f s\n", workers, static_cast<unsigned long long>(seed), elapsed());
  ABSS_finalize(ABSS_SHUTDOWN_WAIT);
  charm::finalize();
}
