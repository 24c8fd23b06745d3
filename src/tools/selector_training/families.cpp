#include "tools/selector_training/families.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/registry.hpp"

namespace charm::selector_training {

namespace {

using base::Random;
using Id = std::uint32_t;

/// Builds a plan: kinds by name with the weight of their work, nodes, and edges.
class Maker {
 public:
  std::uint32_t kind(std::string name, double weight) {
    plan_.kinds.push_back(std::move(name));
    weights_.push_back(weight);
    return static_cast<std::uint32_t>(plan_.kinds.size() - 1);
  }
  Id node(std::uint32_t kind, double factor = 1) {
    plan_.nodes.push_back(
        {.kind = kind, .work = static_cast<std::uint32_t>(std::max(1.0, 1000 * weights_[kind] * factor)), .after = {}});
    return static_cast<Id>(plan_.nodes.size() - 1);
  }
  void edge(Id from, Id to) { plan_.nodes[from].after.push_back(to); }
  GraphPlan::Node& at(Id node) { return plan_.nodes[node]; }
  [[nodiscard]] std::size_t size() const { return plan_.nodes.size(); }
  GraphPlan plan() { return std::move(plan_); }

 private:
  GraphPlan plan_;
  std::vector<double> weights_;
};

std::size_t between(Random& random, std::size_t least, std::size_t most) {
  return least + random.index(most - least + 1);
}

/// ABSS §4.2: tasks spawn groups of tasks of one type, and what a task costs changes from level to level. Some graphs
/// have conditional spawns, others further edges to later tasks.
GraphPlan random_spawns(Random& random, std::size_t nodes) {
  Maker make;
  const double steepness = std::exp(0.7 * random.normal() * 0.5);  // cost of a level by that of the one above
  constexpr std::size_t levels = 8;
  std::vector<std::uint32_t> kinds;
  for (std::size_t level = 0; level < levels; ++level) {
    for (const char* type : {"a", "b"})
      kinds.push_back(make.kind("level" + std::to_string(level) + type,
                                std::pow(steepness, static_cast<double>(level)) * (0.5 + random.unit())));
  }
  const bool conditional = random.unit() < 0.25;
  const std::size_t widest = between(random, 2, 32);
  std::vector<std::pair<Id, std::size_t>> open{{make.node(kinds[0]), 0}};
  for (std::size_t next = 0; next < open.size() && make.size() < nodes; ++next) {
    const auto [parent, level] = open[next];
    const std::size_t groups = between(random, 1, 2);
    for (std::size_t g = 0; g < groups; ++g) {
      const std::uint32_t kind = kinds[std::min(level + 1, levels - 1) * 2 + random.index(2)];
      const std::size_t most = std::min(widest, nodes - make.size());
      for (std::size_t i = most == 0 ? 0 : between(random, 1, most); i > 0; --i) {
        const Id child = make.node(kind);
        make.edge(parent, child);
        open.emplace_back(child, level + 1);
      }
    }
    if (conditional && !make.at(parent).after.empty() && next > 0 && random.unit() < 0.1)
      make.at(parent).choice = static_cast<std::int32_t>(random.index(make.at(parent).after.size()));
  }
  if (!conditional) {
    const auto further = static_cast<std::size_t>(random.unit() * static_cast<double>(make.size()));
    for (std::size_t e = 0; e < further && make.size() > 2; ++e) {
      const Id from = static_cast<Id>(random.index(make.size() - 1));
      make.edge(from, static_cast<Id>(between(random, from + 1, make.size() - 1)));
    }
  }
  return make.plan();
}

/// A tree of forks whose leaves work, and the tree of joins after it.
GraphPlan fork_join(Random& random, std::size_t nodes) {
  Maker make;
  const std::uint32_t fork = make.kind("fork", 0.1), leaf = make.kind("leaf", 1), join = make.kind("join", 0.1);
  const std::size_t ways = between(random, 2, 8);
  std::size_t depth = 1;
  for (std::size_t all = 2 + ways, wide = ways; depth < 12; ++depth) {
    all += wide + wide * ways;  // a level of forks becomes forks and joins with leaves below
    wide *= ways;
    if (all > nodes) break;
  }
  const double skew = random.unit();  // leaves of one side may be the larger ones
  auto grow = [&](auto&& self, std::size_t levels, double share) -> std::pair<Id, Id> {
    if (levels == 0) {
      const Id only = make.node(leaf, 1 + skew * share);
      return {only, only};
    }
    const Id first = make.node(fork), last = make.node(join);
    for (std::size_t w = 0; w < ways; ++w) {
      const auto [begin, end] = self(self, levels - 1, share * 2 * static_cast<double>(w) / static_cast<double>(ways));
      make.edge(first, begin);
      make.edge(end, last);
    }
    return {first, last};
  };
  grow(grow, depth, 1);
  return make.plan();
}

/// Loops one after the other: each is a level of equal tasks, between two tasks that all of them wait for.
GraphPlan phases(Random& random, std::size_t nodes) {
  Maker make;
  const std::uint32_t step = make.kind("step", 0.1), body = make.kind("body", 1);
  const std::size_t width = between(random, 2, std::max<std::size_t>(2, std::min<std::size_t>(256, nodes / 3)));
  Id before = make.node(step);
  while (make.size() + width + 1 <= nodes) {
    std::vector<Id> level;
    for (std::size_t i = 0; i < width; ++i) {
      level.push_back(make.node(body));
      make.edge(before, level.back());
    }
    before = make.node(step);
    for (const Id each : level) make.edge(each, before);
  }
  return make.plan();
}

/// The tasks of a factorisation of t × t tiles; the last writer of a tile precedes its next user.
struct Tiles {
  Maker make;
  std::size_t t;
  std::vector<std::int64_t> writer;
  explicit Tiles(std::size_t side) : t(side), writer(side * side, -1) {}
  Id task(std::uint32_t kind, std::initializer_list<std::size_t> reads, std::size_t writes) {
    const Id node = make.node(kind);
    for (const std::size_t tile : reads) after(tile, node);
    after(writes, node);
    writer[writes] = node;
    return node;
  }
  void after(std::size_t tile, Id node) {
    if (writer[tile] >= 0) make.edge(static_cast<Id>(writer[tile]), node);
  }
};

GraphPlan cholesky(Random& /*random*/, std::size_t nodes) {
  std::size_t side = 1;
  while ((side + 1) * (side + 2) * (side + 3) / 6 <= nodes) ++side;  // t(t+1)(t+2)/6 tasks
  Tiles tiles(side);
  const std::uint32_t potrf = tiles.make.kind("potrf", 1.0 / 3), trsm = tiles.make.kind("trsm", 1),
                      syrk = tiles.make.kind("syrk", 1), gemm = tiles.make.kind("gemm", 2);
  auto at = [&](std::size_t i, std::size_t j) { return i * side + j; };
  for (std::size_t k = 0; k < side; ++k) {
    tiles.task(potrf, {}, at(k, k));
    for (std::size_t i = k + 1; i < side; ++i) tiles.task(trsm, {at(k, k)}, at(i, k));
    for (std::size_t i = k + 1; i < side; ++i) {
      for (std::size_t j = k + 1; j < i; ++j) tiles.task(gemm, {at(i, k), at(j, k)}, at(i, j));
      tiles.task(syrk, {at(i, k)}, at(i, i));
    }
  }
  return tiles.make.plan();
}

GraphPlan lu(Random& /*random*/, std::size_t nodes) {
  std::size_t side = 1;
  while ((side + 1) * (side + 2) * (2 * side + 3) / 6 <= nodes) ++side;  // t(t+1)(2t+1)/6 tasks
  Tiles tiles(side);
  const std::uint32_t getrf = tiles.make.kind("getrf", 2.0 / 3), row = tiles.make.kind("trsm row", 1),
                      column = tiles.make.kind("trsm column", 1), gemm = tiles.make.kind("gemm", 2);
  auto at = [&](std::size_t i, std::size_t j) { return i * side + j; };
  for (std::size_t k = 0; k < side; ++k) {
    tiles.task(getrf, {}, at(k, k));
    for (std::size_t j = k + 1; j < side; ++j) tiles.task(row, {at(k, k)}, at(k, j));
    for (std::size_t i = k + 1; i < side; ++i) tiles.task(column, {at(k, k)}, at(i, k));
    for (std::size_t i = k + 1; i < side; ++i) {
      for (std::size_t j = k + 1; j < side; ++j) tiles.task(gemm, {at(i, k), at(k, j)}, at(i, j));
    }
  }
  return tiles.make.plan();
}

/// A sweep over blocks of a plane: a block waits for the one above and the one to the left.
GraphPlan wavefront(Random& random, std::size_t nodes) {
  Maker make;
  const std::uint32_t block = make.kind("block", 1);
  const auto rows =
      static_cast<std::size_t>(std::max(1.0, std::sqrt(static_cast<double>(nodes)) * std::exp2(-2 * random.unit())));
  const std::size_t columns = std::max<std::size_t>(1, nodes / rows);
  for (std::size_t y = 0; y < rows; ++y) {
    for (std::size_t x = 0; x < columns; ++x) {
      const Id here = make.node(block);
      if (x > 0) make.edge(here - 1, here);
      if (y > 0) make.edge(here - static_cast<Id>(columns), here);
    }
  }
  return make.plan();
}

/// Items that pass through stages. A serial stage takes one item after the other, a parallel one takes any.
GraphPlan pipeline(Random& random, std::size_t nodes) {
  Maker make;
  const std::size_t stages = between(random, 2, 8), items = std::max<std::size_t>(2, nodes / stages);
  std::vector<std::uint32_t> kinds;
  std::vector<bool> serial;
  for (std::size_t s = 0; s < stages; ++s) {
    kinds.push_back(make.kind("stage" + std::to_string(s), 0.25 + 1.5 * random.unit()));
    serial.push_back(s == 0 || random.unit() < 0.4);
  }
  for (std::size_t item = 0; item < items; ++item) {
    for (std::size_t s = 0; s < stages; ++s) {
      const Id here = make.node(kinds[s]);
      if (s > 0) make.edge(here - 1, here);
      if (item > 0 && serial[s]) make.edge(here - static_cast<Id>(stages), here);
    }
  }
  return make.plan();
}

/// The elimination tree of a plane grid's matrix in the order of nested dissection (A. George 1973): a front for each
/// separator, children first, whose work grows with the cube of the separator; the leaves are columns of small blocks.
GraphPlan elimination(Random& random, std::size_t nodes) {
  Maker make;
  std::vector<std::uint32_t> kinds;
  for (std::size_t level = 0; level < 16; ++level) kinds.push_back(make.kind("front" + std::to_string(level), 1));
  auto dissect = [&](auto&& self, std::size_t budget, double size, std::size_t level) -> Id {
    const double cube = size * size * size;
    if (budget < 3) return make.node(kinds[std::min<std::size_t>(level, 15)], 0.2 + cube);
    const double part = 0.35 + 0.3 * random.unit();
    const auto left = std::max<std::size_t>(1, static_cast<std::size_t>(part * static_cast<double>(budget - 1)));
    const Id one = self(self, left, size * std::sqrt(part), level + 1);
    const Id two = self(self, budget - 1 - left, size * std::sqrt(1 - part), level + 1);
    const Id front = make.node(kinds[std::min<std::size_t>(level, 15)], 0.2 + cube);
    make.edge(one, front);
    make.edge(two, front);
    return front;
  };
  dissect(dissect, nodes, std::cbrt(static_cast<double>(nodes)), 0);
  return make.plan();
}

constexpr std::array all_families = {
    Family{"random", "tasks that spawn groups of tasks, some on a condition (ABSS 4.2)", random_spawns},
    Family{"fork-join", "a tree of forks, and the tree of joins after it", fork_join},
    Family{"phases", "loops one after the other, each of equal tasks", phases},
    Family{"cholesky", "the tile Cholesky factorisation", cholesky},
    Family{"lu", "the tile LU factorisation without pivoting", lu},
    Family{"wavefront", "a stencil's sweep over blocks of a plane", wavefront},
    Family{"pipeline", "items that pass through serial and parallel stages", pipeline},
    Family{"elimination", "the elimination tree of a grid's matrix by nested dissection", elimination}};

double log_uniform(Random& random, double least, double most) { return least * std::pow(most / least, random.unit()); }

}  // namespace

std::span<const Family> families() { return all_families; }

GraphPlan generate(const Family& family, const GenerateOptions& options, std::uint64_t number) {
  Random random(base::mixed(options.seed) ^ base::mixed(number + 1));
  const auto nodes = static_cast<std::size_t>(std::lround(
      log_uniform(random, static_cast<double>(options.least_nodes), static_cast<double>(options.most_nodes))));
  const double drawn = log_uniform(random, options.least_work, options.most_work);
  const double variation = random.unit();
  GraphPlan plan = family.shape(random, nodes);
  const double size = static_cast<double>(plan.nodes.size());
  const double mean = std::min(drawn, options.most_graph_work / size);
  const double factor = mean * size / static_cast<double>(plan.work());
  for (GraphPlan::Node& node : plan.nodes) {
    const double work = factor * node.work * std::max(0.05, 1 + variation * random.normal());
    node.work = static_cast<std::uint32_t>(std::clamp(work, 1.0, static_cast<double>(most_work)));
  }
  plan.family = family.name;
  plan.id = plan.family + "-" + std::to_string(number);
  return plan;
}

std::vector<GraphPlan> generate(const GenerateOptions& options) {
  std::vector<const Family*> chosen;
  for (const std::string& name : options.families)
    chosen.push_back(&base::named(families(), name, "family of task graphs"));
  std::vector<GraphPlan> plans;
  for (std::size_t i = 0; i < options.count; ++i) plans.push_back(generate(*chosen[i % chosen.size()], options, i));
  return plans;
}

}  // namespace charm::selector_training
