#include "synthetic_machine.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <set>
#include <sstream>

namespace charm::probe::testing {
namespace {

struct Place {
  int socket, node, chiplet, core;  // numbers over the whole machine
  double at;                        // position of the core in its chiplet, 0..1
  double chiplet_at;                // position of the chiplet in its socket, 0..1
};

int pick(std::mt19937_64& random, const std::vector<int>& from) {
  return from[std::uniform_int_distribution<std::size_t>(0, from.size() - 1)(random)];
}

double between(std::mt19937_64& random, double low, double high) {
  return std::uniform_real_distribution<double>(low, high)(random);
}

bool chance(std::mt19937_64& random, double p) { return std::bernoulli_distribution(p)(random); }

template <typename Key>
Partition partition_by(const std::vector<Place>& places, const std::set<int>& unmeasured, Key key) {
  std::map<int, std::vector<int>> groups;
  for (std::size_t i = 0; i < places.size(); ++i) {
    if (!unmeasured.contains(static_cast<int>(i))) groups[key(places[i])].push_back(static_cast<int>(i));
  }
  Partition partition;
  for (auto& [number, rows] : groups) partition.push_back(rows);
  std::sort(partition.begin(), partition.end());
  return partition;
}

std::vector<Place> places_of(const Shape& shape, std::mt19937_64& random) {
  std::vector<Place> places;
  int node = 0;
  int chiplet = 0;
  int core = 0;
  for (int s = 0; s < shape.sockets; ++s) {
    const int chiplets_here = shape.nodes * shape.chiplets;
    int in_socket = 0;
    for (int n = 0; n < shape.nodes; ++n, ++node) {
      for (int c = 0; c < shape.chiplets; ++c, ++chiplet, ++in_socket) {
        int cores = shape.cores;
        if (shape.unequal && cores > 2)
          cores = std::max(2, cores - std::uniform_int_distribution<int>(0, (cores + 1) / 2)(random));
        for (int k = 0; k < cores; ++k, ++core) {
          for (int t = 0; t < shape.threads; ++t) {
            places.push_back({s, node, chiplet, core, cores < 2 ? 0 : static_cast<double>(k) / (cores - 1),
                              chiplets_here < 2 ? 0 : static_cast<double>(in_socket) / (chiplets_here - 1)});
          }
        }
      }
    }
  }
  return places;
}

}  // namespace

Synthetic make_machine(const Shape& shape, const Trouble& trouble, std::mt19937_64& random) {
  Synthetic machine;
  std::vector<Place> places = places_of(shape, random);
  if (trouble.shuffled) {
    std::shuffle(places.begin(), places.end(), random);
  } else {  // as Linux does: first threads of all cores, then second threads
    std::map<int, int> seen;
    std::map<int, std::vector<Place>> by_thread;
    for (const Place& place : places) by_thread[seen[place.core]++].push_back(place);
    places.clear();
    for (const auto& [thread, some] : by_thread) places.insert(places.end(), some.begin(), some.end());
  }
  const int n = static_cast<int>(places.size());

  std::set<int> raised;  // sockets whose lines were homed elsewhere; one keeps its own
  if (trouble.homed_elsewhere > 0 && shape.sockets > 1) {
    const int all_but_one = std::uniform_int_distribution<int>(1, shape.sockets - 1)(random);
    while (static_cast<int>(raised.size()) < all_but_one)
      raised.insert(static_cast<int>(random() % static_cast<unsigned>(shape.sockets)));
  }
  const double raise_ns = (shape.remote_ns - shape.socket_ns) * between(random, 0.2, 0.6);

  std::set<int> missing;
  while (static_cast<int>(missing.size()) < std::min(trouble.missing_rows, n))  // a machine may have fewer rows
    missing.insert(static_cast<int>(random() % static_cast<unsigned>(n)));

  std::normal_distribution<double> normal(0, 1);
  std::set<int> slow;
  std::set<int> cores;
  for (const Place& place : places) cores.insert(place.core);
  while (static_cast<int>(slow.size()) < std::min(trouble.slow_cores, static_cast<int>(cores.size())))
    slow.insert(places[random() % static_cast<unsigned>(n)].core);
  std::vector<double> bias(static_cast<std::size_t>(n), 1.0);
  if (trouble.asymmetry > 0) {
    for (double& factor : bias) factor = std::exp(trouble.asymmetry * normal(random));
  }
  machine.matrix = LatencyMatrix(n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < i; ++j) {
      const Place& a = places[static_cast<std::size_t>(i)];
      const Place& b = places[static_cast<std::size_t>(j)];
      double ns;
      if (a.core == b.core) {
        ns = shape.smt_ns;
      } else if (a.chiplet == b.chiplet) {
        ns = shape.chiplet_ns * (1 + shape.mesh * std::abs(a.at - b.at));
      } else if (a.node == b.node) {
        ns = shape.node_ns * (1 + shape.mesh / 2 * std::abs(a.chiplet_at - b.chiplet_at));
      } else if (a.socket == b.socket) {
        ns = shape.socket_ns * (1 + shape.mesh / 2 * std::abs(a.chiplet_at - b.chiplet_at));
      } else {
        ns = shape.remote_ns * (1 + shape.mesh / 4 * (a.chiplet_at + b.chiplet_at));
      }
      if (a.socket == b.socket && raised.contains(a.socket) && a.core != b.core) {
        if (trouble.homed_elsewhere == 2) ns += raise_ns;
        if (trouble.homed_elsewhere == 1 && a.chiplet != b.chiplet) ns = std::max(ns, shape.remote_ns * 0.97);
      }
      if (slow.contains(a.core)) ns *= trouble.slow_factor;
      if (slow.contains(b.core) && b.core != a.core) ns *= trouble.slow_factor;
      if (trouble.zeros > 0 && chance(random, trouble.zeros)) continue;
      for (int half = 0; half < (trouble.both_halves ? 2 : 1); ++half) {
        double measured = ns * std::exp(trouble.noise * normal(random));
        if (chance(random, trouble.spikes)) measured *= between(random, trouble.least_spike, trouble.most_spike);
        measured *= bias[static_cast<std::size_t>(half == 0 ? i : j)];
        if (trouble.tick_ns > 0) measured = std::max(1.0, std::round(measured / trouble.tick_ns)) * trouble.tick_ns;
        const int row = half == 0 ? i : j;
        if (missing.contains(row) || chance(random, trouble.blanks)) continue;
        machine.matrix.lower(i, j, measured);
      }
    }
  }
  const auto nothing = machine.matrix.unmeasured_rows();
  const std::set<int> unmeasured(nothing.begin(), nothing.end());
  machine.smt = partition_by(places, unmeasured, [](const Place& p) { return p.core; });
  machine.chiplets = partition_by(places, unmeasured, [](const Place& p) { return p.chiplet; });
  machine.nodes = partition_by(places, unmeasured, [](const Place& p) { return p.node; });
  machine.sockets = partition_by(places, unmeasured, [](const Place& p) { return p.socket; });

  std::ostringstream text;
  text << shape.sockets << "s " << shape.nodes << "n " << shape.chiplets << "l " << shape.cores << "c " << shape.threads
       << "t" << (shape.unequal ? " unequal" : "") << "; ns " << shape.smt_ns << '/' << shape.chiplet_ns << '/'
       << shape.node_ns << '/' << shape.socket_ns << '/' << shape.remote_ns << " mesh " << shape.mesh << "; noise "
       << trouble.noise << " spikes " << trouble.spikes << " blanks " << trouble.blanks << " missing "
       << trouble.missing_rows << " homed " << trouble.homed_elsewhere << (trouble.both_halves ? " both" : " half")
       << (trouble.shuffled ? " shuffled" : "") << " tick " << trouble.tick_ns << " slow " << trouble.slow_cores
       << " asymmetry " << trouble.asymmetry;
  machine.description = text.str();
  return machine;
}

namespace {

Trouble any_trouble(std::mt19937_64& random, const Choice& most, int cpus) {
  Trouble trouble;
  trouble.noise = between(random, 0.0, most.noise);
  trouble.spikes = chance(random, 0.5) ? between(random, 0, most.spikes) : 0;
  trouble.blanks = chance(random, 0.3) ? between(random, 0, most.blanks) : 0;
  trouble.missing_rows = chance(random, 0.4)
                             ? std::uniform_int_distribution<int>(1, std::min(most.missing_rows, 1 + cpus / 12))(random)
                             : 0;
  trouble.homed_elsewhere = chance(random, 0.3) ? pick(random, {1, 2}) : 0;
  // Rows that are missing from a half-filled matrix may take their own chiplet along, and then nobody can know.
  trouble.both_halves = trouble.missing_rows > 1 || chance(random, 0.5);
  trouble.shuffled = chance(random, 0.7);
  trouble.tick_ns = chance(random, 0.1) ? between(random, 0.3, 3) : 0;
  return trouble;
}

}  // namespace

Synthetic any_machine(std::mt19937_64& random, const Choice& choice) {
  Shape shape;
  int cpus = 0;
  do {
    shape.sockets = pick(random, choice.sockets);
    shape.nodes = pick(random, choice.nodes);
    shape.chiplets = pick(random, choice.chiplets);
    shape.cores = pick(random, choice.cores);
    shape.threads = pick(random, choice.threads);
    cpus = shape.sockets * shape.nodes * shape.chiplets * shape.cores * shape.threads;
  } while (cpus > choice.most_cpus || shape.cores * shape.threads < 4 ||
           shape.sockets * shape.nodes * shape.chiplets < 2 || (shape.cores < 3 && shape.threads == 1));
  shape.unequal = chance(random, 0.25);
  shape.smt_ns = between(random, 4, 12);
  shape.chiplet_ns = between(random, std::max(15.0, 1.7 * shape.smt_ns), 60);
  shape.node_ns = shape.chiplet_ns * between(random, 1.5, 4.5);
  const double inner = shape.chiplets > 1 ? shape.node_ns : shape.chiplet_ns;
  shape.socket_ns = shape.nodes > 1 ? inner * between(random, 1.35, 1.9) : inner;
  shape.remote_ns = shape.socket_ns * between(random, 1.5, 2.4);
  shape.mesh = between(random, 0, 0.2);
  return make_machine(shape, any_trouble(random, choice, cpus), random);
}

Synthetic any_monolith(std::mt19937_64& random, const Choice& choice) {
  Shape shape;
  shape.cores = pick(random, {4, 6, 8, 10, 16, 24, 28, 32, 48, 64, 80, 128});
  shape.threads = pick(random, {1, 1, 2});
  shape.smt_ns = between(random, 4, 12);
  shape.chiplet_ns = between(random, 20, 60);
  shape.mesh = between(random, 0, 0.9);
  const Trouble trouble = any_trouble(random, choice, shape.cores * shape.threads);
  return make_machine(shape, trouble, random);
}

const char* name_of(Hardship kind) {
  switch (kind) {
    case Hardship::weak:
      return "weak";
    case Hardship::slow_core:
      return "slow core";
    case Hardship::small:
      return "small";
    case Hardship::outliers:
      return "outliers";
    case Hardship::asymmetric:
      return "asymmetric";
    case Hardship::coarse_timer:
      return "coarse timer";
    case Hardship::slow_siblings:
      return "slow siblings";
    case Hardship::blanks:
      return "blanks";
    case Hardship::monolith:
      return "monolith";
    case Hardship::none:
      return "none";
  }
  return "";
}

Synthetic hard_machine(std::mt19937_64& random, Hardship kind) {
  Choice choice;
  choice.sockets = {1, 1, 1, 2, 2, 4};
  choice.nodes = {1, 1, 1, 2, 4};
  choice.chiplets = {1, 2, 3, 4, 6, 8, 12};
  choice.cores = {2, 3, 4, 4, 6, 8, 12, 16, 24};
  choice.most_cpus = 160;
  if (kind == Hardship::monolith) {
    choice.noise = 0.2;
    return any_monolith(random, choice);
  }
  if (kind == Hardship::none) return any_machine(random, choice);

  Shape shape;
  int cpus = 0;
  do {
    shape.sockets = pick(random, kind == Hardship::small ? std::vector<int>{1, 1, 1, 2} : choice.sockets);
    shape.nodes = kind == Hardship::small ? 1 : pick(random, choice.nodes);
    shape.chiplets = pick(random, kind == Hardship::small ? std::vector<int>{1, 2, 2} : choice.chiplets);
    shape.cores = pick(random, kind == Hardship::small ? std::vector<int>{2, 3, 4, 4, 6, 8} : choice.cores);
    shape.threads = pick(random, choice.threads);
    cpus = shape.sockets * shape.nodes * shape.chiplets * shape.cores * shape.threads;
  } while (cpus > (kind == Hardship::small ? 24 : choice.most_cpus) || cpus < 4 ||
           (kind == Hardship::slow_siblings && shape.threads == 1));
  shape.unequal = chance(random, 0.2);
  shape.smt_ns = between(random, 4, 12);
  shape.chiplet_ns = between(random, std::max(15.0, 1.7 * shape.smt_ns), 60);
  shape.mesh = between(random, 0, 0.2);
  double chiplet_ratio = between(random, 1.4, 4.5);
  double node_ratio = between(random, 1.3, 1.9);
  double socket_ratio = between(random, 1.4, 2.4);
  Trouble trouble;
  trouble.noise = between(random, 0.01, 0.1);
  trouble.both_halves = chance(random, 0.5);
  trouble.shuffled = chance(random, 0.5);
  switch (kind) {
    case Hardship::weak:
      chiplet_ratio = between(random, 1.15, 1.6);
      node_ratio = between(random, 1.15, 1.6);
      socket_ratio = between(random, 1.15, 1.6);
      trouble.noise = between(random, 0.05, 0.2);
      shape.mesh = between(random, 0, 0.05);
      break;
    case Hardship::slow_core:
      trouble.slow_cores = chance(random, 0.7) ? 1 : 2;
      trouble.slow_factor = between(random, 1.2, 2.5);
      break;
    case Hardship::outliers:
      trouble.spikes = between(random, 0.005, 0.05);
      trouble.least_spike = trouble.most_spike = 10;
      break;
    case Hardship::asymmetric:
      trouble.both_halves = chance(random, 0.5);
      trouble.asymmetry = between(random, 0.05, 0.35);
      break;
    case Hardship::coarse_timer:
      trouble.tick_ns = between(random, 1, 12);
      break;
    case Hardship::slow_siblings:
      shape.smt_ns = shape.chiplet_ns * between(random, 0.4, 0.85);
      break;
    case Hardship::blanks:
      trouble.blanks = between(random, 0.05, 0.4);
      trouble.zeros = chance(random, 0.5) ? between(random, 0, 0.1) : 0;
      trouble.missing_rows = chance(random, 0.5) ? 1 + static_cast<int>(random() % 3) : 0;
      break;
    default:
      trouble.noise = between(random, 0.02, 0.15);
      break;
  }
  shape.node_ns = shape.chiplet_ns * chiplet_ratio;
  const double inner = shape.chiplets > 1 ? shape.node_ns : shape.chiplet_ns;
  shape.socket_ns = shape.nodes > 1 ? inner * node_ratio : inner;
  shape.remote_ns = shape.socket_ns * socket_ratio;
  Synthetic machine = make_machine(shape, trouble, random);
  machine.description = std::string(name_of(kind)) + ": " + machine.description;
  return machine;
}

}  // namespace charm::probe::testing
