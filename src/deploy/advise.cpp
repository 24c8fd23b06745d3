#include "deploy/advise.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include <fmt/format.h>

#include "base/format.hpp"

namespace charm::deploy {
namespace {

// What a worker per chiplet gains over a worker per node, as a ratio of their speed-ups over one worker: SingleStore on
// 2 x EPYC 7713, 3.40 and 2.68 on TPC-H (OLAP on chiplets §4.5.3).
constexpr double gain_of_chiplets = 3.40 / 2.68;
// One large chiplet was divided among workers of four cores each (§4.2, Graviton 3), from sixteen cores on here.
constexpr int cores_of_a_part = 4;
constexpr int cores_of_a_large_chiplet = 16;

struct CacheShape {
  std::set<int> nodes;
  int chiplets = 0;
  std::size_t least_cores = 0;
  std::uint64_t chiplet_l3 = 0, node_l3 = 0;
};

CacheShape shape_of(const Machine& machine) {
  CacheShape shape;
  shape.chiplets = static_cast<int>(machine.chiplets.size());
  std::vector<std::uint64_t> of_node(machine.nodes.size());
  for (const Chiplet& chiplet : machine.chiplets) {
    if (chiplet.l3_bytes == 0) {
      throw Error(Errc::bad_input, fmt::format("'{}' does not tell the size of its last-level caches", machine.name),
                  "give a description that does, such as an XML file of lstopo");
    }
    const bool first = shape.nodes.empty();
    shape.least_cores = first ? chiplet.cores.size() : std::min(shape.least_cores, chiplet.cores.size());
    shape.chiplet_l3 = first ? chiplet.l3_bytes : std::min(shape.chiplet_l3, chiplet.l3_bytes);
    shape.nodes.insert(chiplet.node);
    of_node[static_cast<std::size_t>(chiplet.node)] += chiplet.l3_bytes;
  }
  shape.node_l3 = of_node[static_cast<std::size_t>(*shape.nodes.begin())];
  for (const int node : shape.nodes) shape.node_l3 = std::min(shape.node_l3, of_node[static_cast<std::size_t>(node)]);
  return shape;
}

/// How much longer than the mean the busiest of `parts` takes, if it is `skew` with as many parts as chiplets: one key
/// has a share of the data that stays together however they are divided.
double skew_with(double skew, int chiplets, int parts) {
  if (chiplets < 2) return 1;
  const double hot = std::min((skew - 1) / (chiplets - 1), 1.0);
  return 1 + hot * (parts - 1);
}

std::string plural(int count, const char* thing) { return fmt::format("{} {}{}", count, thing, count == 1 ? "" : "s"); }

class Adviser {
 public:
  Adviser(const Machine& machine, const OlapQuestion& question) : question_(question), shape_(shape_of(machine)) {
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
    busiest_ = skew_with(question_.skew, shape_.chiplets, shape_.chiplets);
    if (shape_.chiplets == nodes) {
      choose_without_smaller_chiplets(nodes);
      return;
    }
    because(fmt::format("{}: a worker per chiplet served best in the paper, and more than that cost again (§4.5.1).",
                        plural(shape_.chiplets, "worker")));
    if (shape_.least_cores == 1) {
      because(
          "A chiplet with a single core makes a coordinator that also works slow: give it a core of its own (§4.2).");
    }
    if (question_.skew <= 1) return;
    const double of_nodes = skew_with(question_.skew, shape_.chiplets, nodes);
    if (busiest_ / of_nodes <= gain_of_chiplets) {
      because(
          fmt::format("The skew makes the busiest worker take {:.2f} times the mean, and {:.2f} times with a worker "
                      "per node; the caches of chiplets gain {:.2f} times in the paper, which is more (§4.5.3).",
                      busiest_, of_nodes, gain_of_chiplets));
      return;
    }
    advice_.policy = Policy::win;
    advice_.workers = nodes;
    because(
        fmt::format("But the skew would make the busiest of them take {:.2f} times the mean, and {:.2f} times with a "
                    "worker per node; that is more than what the caches of chiplets gain in the paper, {:.2f} times "
                    "(§4.5.3): {}.",
                    busiest_, of_nodes, gain_of_chiplets, plural(nodes, "worker")));
    busiest_ = of_nodes;
  }

  /// A chiplet is a whole node: there is nothing between a node and a core but parts of it.
  void choose_without_smaller_chiplets(int nodes) {
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
          static_cast<std::uint64_t>(static_cast<double>(query.working_set_bytes) / advice_.workers * busiest_);
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
  double busiest_ = 1;
};

}  // namespace

OlapAdvice advise_olap(const Machine& machine, const OlapQuestion& question) {
  if (question.queries.empty()) throw Error(Errc::bad_config, "there is no query to advise for", "measure some");
  if (!(question.skew >= 1) || !std::isfinite(question.skew)) {
    throw Error(Errc::bad_config, fmt::format("skew {} is out of range", question.skew),
                "give the busiest part over the mean, 1 or more");
  }
  return Adviser(machine, question).advise();
}

}  // namespace charm::deploy
