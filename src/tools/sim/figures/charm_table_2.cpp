// CHARM Tab. 2 (§5.4): Streamcluster's accesses to the own chiplet, other chiplets of the node and main memory, in
// thousands, by number of cores.
#include <array>

#include "tools/sim/figures/all.hpp"

namespace charm::sim {

Reproduction charm_table_2(const Free& free) {
  const Model model = model_with("epyc-7713-2s", free);
  struct Row {
    int cores;
    double charm[3], shoal[3];  // local chiplet, other chiplet, main memory
  };
  constexpr Row rows[] = {{8, {27055, 718, 7037}, {11014, 9, 49222}},
                          {16, {30956, 893, 6941}, {27302, 3623, 41273}},
                          {32, {35099, 1179, 6634}, {50054, 2528, 24832}},
                          {64, {48798, 1852, 5256}, {67560, 1142, 5092}}};
  const auto shares = [&](const char* policy, int cores) {
    const Fills f = settled(model, "streamcluster", policy, cores).fills;
    const double all = f[1] + f[2] + f[3] + f[4] + f[5];
    return std::array<double, 3>{f[1] / all, (f[2] + f[3]) / all, (f[4] + f[5]) / all};
  };
  Reproduction out;
  out.x = "cores";
  out.y = "share of accesses";
  for (const Row& row : rows) {
    const auto charm = shares("charm", row.cores), shoal = shares("shoal", row.cores);
    const auto add = [&](const char* who, const double(&paper)[3], const std::array<double, 3>& mine) {
      const double all = paper[0] + paper[1] + paper[2];
      const double local = paper[0] / all;
      out.points.push_back(required(std::string(who) + ", local chiplet", row.cores, local, mine[0],
                                    mine[0] > local - 0.15 && mine[0] < local + 0.15, "within .15 of the table",
                                    "Tab. 2"));
      out.points.push_back(
          magnitude(std::string(who) + ", other chiplet", row.cores, paper[1] / all, mine[1], "Tab. 2"));
      out.points.push_back(magnitude(std::string(who) + ", main memory", row.cores, paper[2] / all, mine[2], "Tab. 2"));
    };
    add("CHARM", row.charm, charm);
    add("SHOAL", row.shoal, shoal);
    const double ratio = shoal[2] / charm[2];
    if (row.cores < 64) {
      out.points.push_back(required("main memory, SHOAL over CHARM", row.cores, row.shoal[2] / row.charm[2], ratio,
                                    ratio > 1, "SHOAL goes to memory more often", "Tab. 2"));
    } else {
      out.points.push_back(required("main memory, SHOAL over CHARM", row.cores, row.shoal[2] / row.charm[2], ratio,
                                    ratio > 0.85 && ratio < 1.15, "both converge at 64 cores", "Tab. 2 and §5.4"));
    }
  }
  for (Point& point : out.points) point.basis = Basis::fitted;
  out.not_captured = {"Lines that go to another chiplet with the tasks and data that move: 1 to 5 % of the accesses."};
  return out;
}

}  // namespace charm::sim
