// How often what the clustering says is right, by how sure it is, over generated machines of every shape that are hard
// to read in one way each: of what is said with at least 0.8, 98 % should be right; with at least 0.95, 99.5 %.
//
//   calibrate_clustering [MACHINES_OF_EACH_KIND [SEED]]
#include <cstdio>
#include <cstdlib>
#include <random>

#include "synthetic_machine.hpp"

using namespace charm::probe;
using namespace charm::probe::testing;

namespace {

struct Row {
  int machines = 0;
  struct Level {
    int wrong = 0, likely = 0, likely_wrong = 0, sure = 0, sure_wrong = 0;
  } levels[4];

  void add(const Synthetic& machine) {
    const Clustering seen = cluster(machine.matrix);
    ++machines;
    add(levels[0], seen.smt != machine.smt, seen.confidence.smt);
    add(levels[1], seen.chiplets != machine.chiplets, seen.confidence.chiplets);
    add(levels[2], seen.nodes != machine.nodes, seen.confidence.nodes);
    add(levels[3], seen.sockets != machine.sockets, seen.confidence.sockets);
  }
  static void add(Level& level, bool wrong, double confidence) {
    level.wrong += wrong;
    if (confidence >= 0.8) ++level.likely, level.likely_wrong += wrong;
    if (confidence >= 0.95) ++level.sure, level.sure_wrong += wrong;
  }
  void print(const char* name) const {
    std::printf("%-14s %6d", name, machines);
    for (const Level& level : levels) {
      std::printf(" | %5d %4d/%-5d %4d/%-5d", level.wrong, level.likely_wrong, level.likely, level.sure_wrong,
                  level.sure);
    }
    std::printf("\n");
  }
};

}  // namespace

int main(int count, char** arguments) {
  const int each = count > 1 ? std::atoi(arguments[1]) : 200;
  const auto seed = static_cast<unsigned>(count > 2 ? std::atoi(arguments[2]) : 1);
  if (each < 1) {
    std::fprintf(stderr, "usage: %s [MACHINES_OF_EACH_KIND [SEED]]\n", arguments[0]);
    return 2;
  }
  std::printf("%21s", "");
  for (const char* level : {"SMT", "chiplets", "nodes", "sockets"}) std::printf(" | %-27s", level);
  std::printf("\n%-14s %6s", "kind", "number");
  for (int level = 0; level < 4; ++level) std::printf(" | %5s %-10s %-10s", "wrong", "of >= .8", "of >= .95");
  std::printf("\n");
  for (Hardship kind : all_hardships) {
    Row row;
    for (int k = 0; k < each; ++k) {
      std::mt19937_64 random(1000003U * seed + 100003U * static_cast<unsigned>(kind) + static_cast<unsigned>(k));
      row.add(hard_machine(random, kind));
    }
    row.print(name_of(kind));
  }
  return 0;
}
