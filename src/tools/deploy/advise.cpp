#include "tools/deploy/advise.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/format.hpp"
#include "placement/kinds.hpp"
#include "topology/tiles.hpp"

namespace charm::deploy {
namespace {

// What a worker per chiplet gains over a worker per node, as a ratio of their speed-ups over one worker: SingleStore on
// 2 x EPYC 7713, 3.40 and 2.68 on TPC-H (OLAP on chiplets §4.5.3).
constexpr double gain_of_chiplets = 3.40 / 2.68;
// On JCC-H the same were 2.31 and 1.72: with its skew a worker per chiplet was still ahead. One key has a twentieth of
// its data, as CHARM's generator makes them (workloads/olap/jcch.hpp), and a little more at small scale factors.
constexpr double hottest_key_of_jcch = .055;
constexpr double jcch_by_chiplet = 2.31, jcch_by_node = 1.72;
constexpr double worth_a_word = 1.01;  // a busiest worker with less than this times the mean is as busy as all
// One large chiplet was divided among workers of four cores each (§4.2, Graviton 3), from sixteen cores on here.
constexpr int cores_of_a_part = 4;
constexpr int cores_of_a_large_chiplet = 16;

struct CacheShape {
  std::set<int> nodes;
  int chiplets = 0;
  std::size_t least_cores = 0;
  std::uint64_t chiplet_l3 = 0, node_l3 = 0;
  int tiles = 1;  // dies behind each of its caches, where they are known
};

CacheShape shape_of(const Machine& machine) {
  CacheShape shape;
  shape.chiplets = static_cast<int>(machine.chiplets.size());
  std::vector<std::uint64_t> of_node(machine.nodes.size());
  for (const Chiplet& chiplet : machine.chiplets) {
    if (chiplet.l3_bytes == 0) {
      throw Error(Errc::bad_input, fmt::format("'{}' does not give the size of its last-level caches", machine.name),
                  "give a description that does, such as an XML file of lstopo");
    }
    const bool first = shape.nodes.empty();
    shape.least_cores = first ? chiplet.cores.size() : std::min(shape.least_cores, chiplet.cores.size());
    const int tiles = topology::known_tiles(machine.name, chiplet.total_cores);
    shape.tiles = first ? tiles : std::min(shape.tiles, tiles);
    shape.chiplet_l3 = first ? chiplet.l3_bytes : std::min(shape.chiplet_l3, chiplet.l3_bytes);
    shape.nodes.insert(chiplet.node);
    of_node[static_cast<std::size_t>(chiplet.node)] += chiplet.l3_bytes;
  }
  shape.node_l3 = of_node[static_cast<std::size_t>(*shape.nodes.begin())];
  for (const int node : shape.nodes) shape.node_l3 = std::min(shape.node_l3, of_node[static_cast<std::size_t>(node)]);
  return shape;
}

/// The share of one key, from what it makes of the busiest of as many parts as there are chiplets.
double share_of_key(const OlapQuestion& question, int chiplets) {
  if (!question.skew) return question.hottest_key;
  return chiplets < 2 ? 0 : std::min((*question.skew - 1) / (chiplets - 1), 1.0);
}

/// How much more than the mean the busiest of `parts` has: the rows of one key stay together however data are divided.
double busiest_of(double key, int parts) { return 1 + key * (parts - 1); }

std::string plural(int count, const char* thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

class Adviser {
 public:
  Adviser(const Machine& machine, const OlapQuestion& question)
      // A plan gives low-power cores no worker.
      : question_(question), shape_(shape_of(placement::without_low_power(machine))) {
    advice_.chiplet_l3_bytes = shape_.chiplet_l3;
    advice_.node_l3_bytes = shape_.node_l3;
  }

  OlapAdvice advise() {
    choose_workers();
    choose_shape();
    return std::move(advice_);
  }

 private:
  void because(std::string reason) { advice_.reasons.push_back(std::move(reason)); }

  void choose_workers() {
    const int nodes = static_cast<int>(shape_.nodes.size());
    advice_.workers = shape_.chiplets;
    key_ = share_of_key(question_, shape_.chiplets);
    advice_.skew = busiest_of(key_, shape_.chiplets);
    if (shape_.chiplets == nodes) {
      choose_without_smaller_chiplets(nodes);
    } else {
      because(fmt::format("{}: a worker per chiplet served best in the paper, and more than that cost again (§4.5.1).",
                          plural(shape_.chiplets, "worker")));
      if (shape_.least_cores == 1) {
        because(
            "A chiplet with a single core makes a coordinator that also works slow: give it a core of its own (§4.2).");
      }
      if (advice_.skew > worth_a_word) weigh_skew(nodes);
    }
    advice_.busiest = busiest_of(key_, advice_.workers);
    if (shape_.chiplets == nodes && advice_.busiest > worth_a_word) {
      because(fmt::format("Skew: one key has {} of the data, so the busiest worker has {:.2f} times the mean.",
                          base::format_percent(key_), advice_.busiest));
    }
  }

  /// Paper, §4.5.3. That more skew than JCC-H's makes a worker per node better is an estimate: there is no measurement.
  void weigh_skew(int nodes) {
    const double of_nodes = busiest_of(key_, nodes);
    because(
        fmt::format("Skew: one key has {} of the data, which stay together. The busiest worker has {:.2f} times the "
                    "mean, and {:.2f} times with a worker per node.",
                    base::format_percent(key_), advice_.skew, of_nodes));
    if (advice_.skew / of_nodes <= gain_of_chiplets) {
      because(fmt::format("The caches of chiplets gained {:.2f} times in the paper, which is more (§4.5.3).",
                          gain_of_chiplets));
      return;
    }
    if (key_ <= hottest_key_of_jcch) {
      because(
          fmt::format("That costs more than the {:.2f} times that the caches of chiplets gained on TPC-H; but with the "
                      "skew of JCC-H a worker per chiplet was still the best, {} times as fast as one worker where a "
                      "worker per node was {} times as fast (§4.5.3).",
                      gain_of_chiplets, jcch_by_chiplet, jcch_by_node));
      return;
    }
    advice_.policy = Policy::win;
    advice_.workers = nodes;
    because(
        fmt::format("That costs more than the {:.2f} times that the caches of chiplets gained in the paper, and the "
                    "paper measured no such skew (one key of JCC-H has 5 %): {}, by CHARM's estimate.",
                    gain_of_chiplets, plural(nodes, "worker")));
  }

  /// A chiplet is a whole node: there is nothing between a node and a core but parts of it.
  void choose_without_smaller_chiplets(int nodes) {
    if (shape_.tiles > 1) {
      advice_.per_chiplet = shape_.tiles;
      advice_.workers = shape_.chiplets * advice_.per_chiplet;
      because(
          fmt::format("{}: behind each L3 cache are {} dies. On two Xeon 8480+ engines gained in the "
                      "paper up to a worker for each die, and lost from 28 workers on (§4.5.1).",
                      plural(advice_.workers, "worker"), shape_.tiles));
      return;
    }
    if (static_cast<int>(shape_.least_cores) >= cores_of_a_large_chiplet) {
      advice_.per_chiplet = static_cast<int>(shape_.least_cores) / cores_of_a_part;
      advice_.workers = shape_.chiplets * advice_.per_chiplet;
      because(
          fmt::format("{} of four cores: each node has one large chiplet, which the paper divided so (§4.2, "
                      "Graviton 3).",
                      plural(advice_.workers, "worker")));
    } else {
      because(fmt::format("{}: each node has one chiplet, so a worker per chiplet is a worker per node.",
                          plural(nodes, "worker")));
    }
  }

  /// Paper, §4.4: local while a worker's data fit into a chiplet's cache, mixed while they fit into those of all.
  void choose_shape() {
    std::array<double, 3> seconds{};
    for (const QueryDemand& query : question_.queries) {
      const auto worker_bytes =
          static_cast<std::uint64_t>(static_cast<double>(query.working_set_bytes) / advice_.workers * advice_.busiest);
      const Fits fits = worker_bytes <= shape_.chiplet_l3 / static_cast<std::uint64_t>(advice_.per_chiplet)
                            ? Fits::chiplet
                        : worker_bytes <= shape_.node_l3 ? Fits::node
                                                         : Fits::memory;
      seconds[static_cast<std::size_t>(fits)] += query.seconds;
      advice_.queries.push_back({query.name, worker_bytes, fits});
    }
    const double all = seconds[0] + seconds[1] + seconds[2];
    const auto share = [&](std::size_t i) { return base::format_percent(all > 0 ? seconds[i] / all : 0); };
    if (advice_.policy != Policy::wicp || shape_.chiplets == static_cast<int>(shape_.nodes.size())) {
      advice_.shape_matters = false;
      return;
    }
    advice_.shape = seconds[1] > seconds[0] ? Shape::mixed : Shape::local;
    advice_.shape_matters = seconds[2] <= seconds[0] + seconds[1];
    because(
        fmt::format("{} of the time a worker's data fit into its chiplet's L3 cache ({}), {} into those of its node "
                    "({}), {} into neither: {} (§4.4).",
                    share(0), base::format_bytes(shape_.chiplet_l3), share(1), base::format_bytes(shape_.node_l3),
                    share(2), base::word_of(advice_.shape)));
    if (!advice_.shape_matters)
      because("Beyond all caches both shapes are limited by memory, and the choice matters little (§4.4).");
    else if (advice_.shape == Shape::mixed)
      because("The caches of a node serve all its workers: this gains where they do not need them at the same time.");
  }

  const OlapQuestion& question_;
  const CacheShape shape_;
  OlapAdvice advice_;
  double key_ = 0;  // its share of the data
};

}  // namespace

OlapAdvice advise_olap(const Machine& machine, const OlapQuestion& question) {
  if (question.queries.empty()) throw Error(Errc::bad_config, "there is no query to advise for", "measure some");
  if (question.skew && (!(*question.skew >= 1) || !std::isfinite(*question.skew))) {
    throw Error(Errc::bad_config, fmt::format("skew {} is out of range", *question.skew),
                "give the busiest part over the mean, 1 or more");
  }
  if (!(question.hottest_key >= 0) || question.hottest_key > 1) {
    throw Error(Errc::bad_config, fmt::format("the hottest key's share of {} is out of range", question.hottest_key),
                "give 0 to 1");
  }
  return Adviser(machine, question).advise();
}

}  // namespace charm::deploy
