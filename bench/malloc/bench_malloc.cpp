// The traffic-aware malloc beside other allocators: the same small programs (workload.cpp) under each of them, in
// turns.
//   bench-malloc [--rounds N] [--seconds S] [--threads T] [KIND...]
// KIND is one of those of workload.cpp. "start" wants many rounds and is measured only where it is named:
//   bench-malloc --rounds 300 start
// Prints the median processor time of an operation under jemalloc, and for each allocator the median of its ratio to
// jemalloc in the same round, with the quartiles; below 1 is faster. "again" is jemalloc once more: what it is off from
// 1 is the machine's noise. "placing" is the malloc with weights for two memories, both of which are node 0, so that
// all system calls of placement are made on any machine.
#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <unistd.h>
#include <vector>

#include <sys/stat.h>

#include "memory/weight_page.hpp"

namespace {

struct Allocator {
  std::string name, preload, variables;
};

struct Measured {
  double ns = 0, kib = 0;
};

Measured run(const Allocator& allocator, const std::string& kind, int threads, double seconds) {
  const std::string command =
      "env " + allocator.variables + (allocator.preload.empty() ? "" : " LD_PRELOAD=" + allocator.preload) +
      " " CHARM_WORKLOAD " " + kind + " " + std::to_string(threads) + " " + std::to_string(seconds);
  Measured measured;
  FILE* out = popen(command.c_str(), "r");
  if (out == nullptr || std::fscanf(out, "%lf %lf", &measured.ns, &measured.kib) != 2) {
    std::fprintf(stderr, "bench-malloc: %s fails under %s\n", kind.c_str(), allocator.name.c_str());
    std::exit(1);
  }
  pclose(out);
  return measured;
}

void write_weights(const std::string& path) {
  charm::memory::WeightPage page;
  page.magic = charm::memory::page_magic;
  page.bytes = sizeof page;
  page.generation = 1;
  page.memories = 2;
  page.roots = 1;
  page.weights[0] = {1000, 375};
  page.root_of_cpu.fill(charm::memory::no_root);
  std::fill_n(page.root_of_cpu.begin(), std::min<long>(sysconf(_SC_NPROCESSORS_CONF), page.root_of_cpu.size()), 0);
  std::ofstream(path, std::ios::binary).write(reinterpret_cast<const char*>(&page), sizeof page);
  chmod(path.c_str(), 0600);
}

/// \param part of the values that are below it.
double quantile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1) + 0.5)];
}
double middle(const std::vector<double>& values) { return quantile(values, 0.5); }

}  // namespace

int main(int argc, char** argv) {
  int rounds = 7;
  int threads = 2;
  double seconds = 0.5;
  std::vector<std::string> kinds;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--rounds" && i + 1 < argc) {
      rounds = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--threads" && i + 1 < argc) {
      threads = std::max(1, std::atoi(argv[++i]));
    } else if (word == "--seconds" && i + 1 < argc) {
      seconds = std::atof(argv[++i]);
    } else if (word.starts_with("-")) {
      std::fprintf(stderr, "usage: bench-malloc [--rounds N] [--threads N] [--seconds S] [KIND...]\n");
      return 2;
    } else {
      kinds.push_back(word);
    }
  }
  if (kinds.empty()) kinds = {"pair", "batch", "larson", "xmalloc", "scratch", "sizes", "realloc", "huge"};

  const std::string weights = "/tmp/bench-malloc-" + std::to_string(getpid());
  write_weights(weights);
  std::vector<Allocator> allocators = {{"jemalloc", CHARM_JEMALLOC, ""},
                                       {"again", CHARM_JEMALLOC, ""},
                                       {"charm", CHARM_SHIM, "CHARM_MALLOC=off"},
                                       {"placing", CHARM_SHIM, "CHARM_MALLOC_WEIGHTS=" + weights},
                                       {"glibc", "", ""}};
  for (const Allocator& peer : {Allocator{"mimalloc", CHARM_MIMALLOC, ""}, Allocator{"tcmalloc", CHARM_TCMALLOC, ""}}) {
    if (!peer.preload.empty()) allocators.push_back(peer);
  }
  std::printf(
      "%d threads, %d rounds of %.2f s; processor time as ratio to jemalloc: median (quartiles), peak "
      "memory\n%-8s %12s",
      threads, rounds, seconds, "", "jemalloc ns");
  for (std::size_t a = 1; a < allocators.size(); ++a) std::printf("  %-28s", allocators[a].name.c_str());
  std::printf("\n");
  for (const std::string& kind : kinds) {
    std::map<std::string, std::vector<double>> ratios, memory;
    std::vector<double> base;
    for (int round = 0; round < rounds; ++round) {
      // Each round begins with another allocator, so that none has the machine's better or worse moments.
      std::vector<Measured> of(allocators.size());
      for (std::size_t i = 0; i < allocators.size(); ++i) {
        const std::size_t a = (i + static_cast<std::size_t>(round)) % allocators.size();
        of[a] = run(allocators[a], kind, threads, seconds);
      }
      base.push_back(of[0].ns);
      for (std::size_t a = 1; a < allocators.size(); ++a) {
        ratios[allocators[a].name].push_back(of[a].ns / of[0].ns);
        memory[allocators[a].name].push_back(of[a].kib / of[0].kib);
      }
    }
    std::printf("%-8s %12.1f", kind.c_str(), middle(base));
    for (std::size_t a = 1; a < allocators.size(); ++a) {
      const auto& all = ratios[allocators[a].name];
      std::printf("  %.2f (%.2f to %.2f) rss %.2f", middle(all), quantile(all, 0.25), quantile(all, 0.75),
                  middle(memory[allocators[a].name]));
    }
    std::printf("\n");
    std::fflush(stdout);
  }
  unlink(weights.c_str());
}
