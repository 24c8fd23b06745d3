// Random machines, whole and narrowed: the structure holds for all of them and nothing gets lost.
#include <charm/machine.hpp>

#include <numeric>
#include <rapidcheck.h>
#include <set>

#include <gtest/gtest.h>

#include "topology/build.hpp"
#include "topology/machine_checks.hpp"

using namespace charm;
using namespace charm::test;
using charm::topology::Survey;

namespace {

struct Counts {
  int packs, nodes, l3s, cores, pus;
};

Counts any_counts() {
  return {*rc::gen::inRange(1, 5), *rc::gen::inRange(1, 4), *rc::gen::inRange(1, 5), *rc::gen::inRange(1, 7),
          *rc::gen::inRange(1, 5)};
}

/// Any tangle at all: caches, nodes and sockets that need not nest, cpus in any order, some of them forbidden.
Survey any_survey() {
  Survey s;
  s.origin = "test";
  s.sockets = *rc::gen::inRange(0, 4);
  const int l3s = *rc::gen::inRange(0, 6);
  const int nodes = *rc::gen::inRange(0, 5);
  for (int i = 0; i < l3s; ++i) s.l3_bytes.push_back(static_cast<std::uint64_t>(*rc::gen::inRange(1, 1 << 26)));
  for (int i = 0; i < nodes; ++i) {
    s.nodes.push_back({2 * i + 1, static_cast<std::uint64_t>(*rc::gen::inRange(0, 3)), -1});
    if (*rc::gen::arbitrary<bool>()) s.allowed_nodes.insert(2 * i + 1);
  }
  const int cores = *rc::gen::inRange(1, 40);
  const int threads = *rc::gen::inRange(1, 4);
  std::vector<int> numbers(static_cast<std::size_t>(cores * threads));
  std::iota(numbers.begin(), numbers.end(), 0);
  for (std::size_t i = numbers.size(); i > 1; --i)
    std::swap(numbers[i - 1], numbers[*rc::gen::inRange<std::size_t>(0, i)]);
  for (int c = 0; c < cores; ++c) {
    topology::SurveyCore core;
    core.cpus = CpuSet(numbers.begin() + c * threads, numbers.begin() + (c + 1) * threads);
    core.l3 = *rc::gen::inRange(-1, l3s);
    core.node = *rc::gen::inRange(-1, nodes);
    core.socket = *rc::gen::inRange(-1, s.sockets);
    s.cores.push_back(core);
  }
  s.all_cpus = CpuSet(std::move(numbers));
  for (int cpu : s.all_cpus) {
    if (*rc::gen::inRange(0, 4) != 0) s.allowed_cpus.insert(cpu);
  }
  if (s.allowed_cpus.empty()) s.allowed_cpus.insert(0);
  s.all_nodes = nodes;
  return s;
}

TEST(Property, SyntheticMachinesComeOutAsTheyWereDescribed) {
  EXPECT_TRUE(rc::check([] {
    const Counts n = any_counts();
    // Four sockets or more of one core each are what virtual machines invent: build() takes them as one.
    RC_PRE(n.packs < 4 || n.nodes * n.l3s * n.cores > 1);
    const std::string text = "pack:" + std::to_string(n.packs) + " numa:" + std::to_string(n.nodes) +
                             " l3:" + std::to_string(n.l3s) + " core:" + std::to_string(n.cores) +
                             " pu:" + std::to_string(n.pus);
    const Machine m = Machine::from(text);
    RC_ASSERT(structure_error(m) == "");
    RC_ASSERT(m.origin == "synthetic:" + text);
    RC_ASSERT(m.sockets.size() == static_cast<std::size_t>(n.packs));
    RC_ASSERT(m.nodes.size() == static_cast<std::size_t>(n.packs * n.nodes));
    RC_ASSERT(m.chiplets.size() == m.nodes.size() * static_cast<std::size_t>(n.l3s));
    RC_ASSERT(m.cores.size() == m.chiplets.size() * static_cast<std::size_t>(n.cores));
    RC_ASSERT(m.allowed_cpus == range(0, n.packs * n.nodes * n.l3s * n.cores * n.pus - 1));
    for (const Chiplet& chiplet : m.chiplets) RC_ASSERT(chiplet.cores.size() == static_cast<std::size_t>(n.cores));
    for (const Core& core : m.cores) RC_ASSERT(core.siblings.size() == static_cast<std::size_t>(n.pus));
  }));
}

TEST(Property, AnyTangleBecomesASoundMachine) {
  EXPECT_TRUE(rc::check([] {
    const Survey s = any_survey();
    const Machine m = topology::build(s);
    RC_ASSERT(structure_error(m) == "");
    RC_ASSERT(m.allowed_cpus == s.allowed_cpus);
    RC_ASSERT(m.total.cores == static_cast<int>(s.cores.size()));
  }));
}

TEST(Property, CachesAreNeitherInventedNorCountedTwice) {
  EXPECT_TRUE(rc::check([] {
    Survey s = any_survey();
    s.allowed_cpus = s.all_cpus;
    const Machine m = topology::build(s);
    std::uint64_t told = 0;
    std::uint64_t used = 0;
    for (std::uint64_t bytes : s.l3_bytes) told += bytes;
    for (const Chiplet& chiplet : m.chiplets) used += chiplet.l3_bytes;
    RC_ASSERT(used <= told);
  }));
}

TEST(Property, AMaskTakesCpusAwayAndChangesNothingElse) {
  EXPECT_TRUE(rc::check([] {
    const Survey s = any_survey();
    const Machine whole = topology::build(s);
    topology::Restrictions r;
    r.affinity.emplace();
    for (int cpu : whole.allowed_cpus) {
      if (*rc::gen::arbitrary<bool>()) r.affinity->insert(cpu);
    }
    RC_PRE(!r.affinity->empty());
    const Machine part = topology::build(s, r);
    RC_ASSERT(structure_error(part) == "");
    RC_ASSERT(part.allowed_cpus == *r.affinity);
    RC_ASSERT(part.chiplet_source == whole.chiplet_source);
    for (int a : part.allowed_cpus) {
      const Core* old_a = whole.core_of_cpu(a);
      const Core* new_a = part.core_of_cpu(a);
      for (int b : part.allowed_cpus) {
        const Core* old_b = whole.core_of_cpu(b);
        const Core* new_b = part.core_of_cpu(b);
        RC_ASSERT((old_a == old_b) == (new_a == new_b));
        RC_ASSERT((old_a->chiplet == old_b->chiplet) == (new_a->chiplet == new_b->chiplet));
        RC_ASSERT((old_a->socket == old_b->socket) == (new_a->socket == new_b->socket));
        RC_ASSERT(whole.distance(old_a->id, old_b->id) == part.distance(new_a->id, new_b->id));
      }
    }
  }));
}

}  // namespace
