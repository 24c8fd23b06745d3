// The workloads of several ranks. The program runs alone (one rank, loopback) in the default tests, and under mpirun by
// scripts/test --only mpi. Exit code 0 and "passed" from every rank, or a line that says what was wrong.
#include <charm/charm.hpp>
#include <charm/remote.hpp>

#include <cstdio>
#include <cstdlib>
#include <string>
#include <vector>

#include "workloads/kernel_run.hpp"
#include "workloads/ranks/graph.hpp"
#include "workloads/ranks/rank_bench.hpp"
#include "workloads/ranks/together.hpp"

namespace remote = charm::remote;
namespace workloads = charm::workloads;

namespace {

void expect(bool fine, const char* what, int line, const std::string& seen) {
  if (fine) return;
  std::fprintf(stderr, "rank %d, line %d: not so: %s; %s\n", remote::rank(), line, what, seen.c_str());
  std::_Exit(1);
}
#define EXPECT(condition, seen) expect(condition, #condition, __LINE__, seen)

/// Every element belongs to the rank whose range has it.
void divisions() {
  for (const workloads::Index size : {1, 2, 7, 64, 65, 1000, 4096}) {
    for (const workloads::Index unit : {1, 64}) {
      for (int ranks = 1; ranks <= 9; ++ranks) {
        const workloads::Division division(size, unit, ranks);
        EXPECT(division.begin(0) == 0 && division.end(ranks - 1) == size, std::to_string(size));
        for (int rank = 0; rank < ranks; ++rank) {
          EXPECT(division.begin(rank) % unit == 0 || division.begin(rank) == size, std::to_string(size));
          for (workloads::Index i = division.begin(rank); i < division.end(rank); ++i)
            EXPECT(division.owner(i) == rank, std::to_string(i));
        }
      }
    }
  }
}

void updates() {
  for (const int log2_words : {3, 5, 10, 16}) {
    const auto run = workloads::run_gups_on_ranks(log2_words);
    EXPECT(run.verified && run.seconds.size() == 1 && run.detail.find("error rate") == 0, run.detail);
  }
}

/// The same graph, sources and reach as in one process.
void kernels() {
  // Ranks that share a core take milliseconds for each step.
  const bool few = remote::ranks() <= 2;
  for (const int scale : few ? std::vector<int>{1, 4, 7, 11} : std::vector<int>{1, 7}) {
    const workloads::GenerateOptions options{.scale = scale, .degree = 8, .seed = 3};
    const workloads::RankGraph divided(options);
    const workloads::Graph whole = workloads::Graph::generate(options, {"serial", 1});
    EXPECT(divided.describe() == whole.describe(), divided.describe());
    for (int trial = 0; trial < (few ? 4 : 1); ++trial) {
      const auto here = workloads::run_kernel_on_ranks("bfs", divided, trial);
      const auto there = workloads::run_kernel("bfs", {"serial", 1}, whole, {.trials = 1, .first_trial = trial});
      EXPECT(here.verified && here.detail == there.detail && here.work == there.work, here.detail);
    }
    const auto scores = workloads::run_kernel_on_ranks("pr", divided, 0);
    EXPECT(scores.verified, scores.detail);
  }
  if (!few) return;
  const workloads::RankGraph divided({.scale = 8});
  const auto run = workloads::run_kernel_on_ranks("graph500", divided, 0);
  EXPECT(run.verified && run.detail.find("64 searches") == 0, run.detail);
}

/// The parts of the ranks are together the samples of one process, and what they descend to is its objective.
void descents() {
  for (const double density : {1.0, .05}) {
    const workloads::SampleOptions options{.rows = 301, .features = 90, .density = density, .seed = 5};
    const workloads::RankSamples divided(options);
    for (const char* kernel : {"sgd-core", "sgd-chiplet", "sgd-node", "sgd-machine"}) {
      const auto run = workloads::run_sgd_on_ranks(kernel, divided);
      EXPECT(run.verified, run.detail);
      EXPECT(run.work[0] == remote::broadcast(run.work[0], 0), "all ranks have made the same epochs");
    }
    const auto averaged = workloads::run_sgd_on_ranks("sgd-machine", divided, {.update = "averaged"});
    EXPECT(averaged.verified, averaged.detail);
    // So few epochs do not suffice, and every rank says so.
    const auto few = workloads::run_sgd_on_ranks("sgd-core", divided, {.epochs = 1, .target = 1e-3});
    EXPECT(!few.verified && few.detail.find("rank 0: after 1 epoch") == 0, few.detail);
  }
  bool refused = false;
  try {
    const workloads::RankSamples too_few({.rows = 2, .features = 3});
  } catch (const charm::Error& error) {
    refused = error.code() == charm::Errc::bad_input;
  }
  EXPECT(refused == (remote::ranks() > 2), "fewer rows than ranks");
}

/// A wrong answer on one rank is found, and all ranks know.
void wrong_answers() {
  workloads::CharmExecutor e;
  const workloads::RankGraph divided({.scale = 10});
  const workloads::RankGraph::Data& graph = divided.data();
  workloads::Vertex source = 0;
  while (!graph.has_edges(source)) ++source;
  auto parent = workloads::bfs_on_ranks(e, graph, source);
  workloads::share_parts(parent, graph.rows);
  workloads::Reached mine;
  const std::string fine =
      workloads::first_complaint(workloads::validate_bfs_part(e, graph.part, graph.first, source, parent, mine));
  EXPECT(fine.empty(), fine);
  // A vertex of the last rank that has any loses its parent.
  const int last = graph.rows.owner(graph.rows.size() - 1);
  auto lost = static_cast<workloads::Vertex>(graph.rows.begin(last));
  while (parent[lost] < 0 || lost == source) ++lost;
  parent[lost] = -1;
  const std::string found =
      workloads::first_complaint(workloads::validate_bfs_part(e, graph.part, graph.first, source, parent, mine));
  EXPECT(found.find("rule") != std::string::npos, found);

  auto result = workloads::pagerank_on_ranks(e, graph, 1e-4, 1000);
  EXPECT(workloads::validate_pagerank_on_ranks(e, graph, result, 1e-4).empty(), "of PageRank");
  if (remote::rank() == last) result.scores[0] += 0.5F;
  const std::string scores = workloads::validate_pagerank_on_ranks(e, graph, result, 1e-4);
  EXPECT(scores.find("rank") == 0, scores);
}

}  // namespace

int main() {
  try {
    remote::init({.workers = 2, .share_cores = true});
    charm::run([] {
      divisions();
      updates();
      kernels();
      descents();
      wrong_answers();
    });
    std::printf("rank %d of %d passed workloads over %s\n", remote::rank(), remote::ranks(),
                remote::transport().c_str());
    std::fflush(stdout);
    remote::finalize();
  } catch (const charm::Error& error) {
    std::fprintf(stderr, "rank_workloads: %s\n", error.what());
    return 1;
  }
}
