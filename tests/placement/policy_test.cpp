// The policies over random machines: the properties of docs/design/placement.md, and what each policy promises by its
// name.
#include <charm/error.hpp>

#include <numeric>
#include <rapidcheck.h>

#include <gtest/gtest.h>

#include "placement/bins.hpp"
#include "placement/machines.hpp"
#include "placement/memory_rate.hpp"
#include "placement/placement_policy.hpp"
#include "placement/properties.hpp"

using namespace charm;
using namespace charm::placement;
using namespace charm::test;

namespace {

Placement place(std::string_view name, const Machine& machine, Request request) {
  return policy(name).place(machine, request);
}

std::vector<int> sizes(const std::map<int, int>& counts) {
  std::vector<int> list;
  for (auto [key, count] : counts) list.push_back(count);
  return list;
}

struct Case {
  Machine machine;
  Request request;
};

Case any_case() {
  Case c;
  c.machine = *any_machine();
  c.request.smt = *rc::gen::arbitrary<bool>();
  c.request.workers = *rc::gen::inRange(1, capacity(c.machine, c.request.smt) + 1);
  c.request.sockets = *rc::gen::element(SocketOrder::widen, SocketOrder::fill, SocketOrder::balance);
  c.request.spread = *rc::gen::inRange(0, 12);
  return c;
}

TEST(PolicyProperty, FamiliesKeepTheirPromisesOnAnyMachine) {
  EXPECT_TRUE(rc::check("P1-P6 of local and distributed", [] {
    auto [machine, request] = any_case();
    for (auto name : {"local", "distributed"}) {
      Placement p = place(name, machine, request);
      RC_ASSERT(ranges_overlap(p) == "");
      RC_ASSERT(wrong_core(machine, p, request.smt) == "");
      RC_ASSERT(wrong_width(p) == "");
      RC_ASSERT(needless_moves(p) == "");
      if (request.sockets == SocketOrder::fill) {
        RC_ASSERT(out_of_order(machine, p, &WorkerCore::socket, &Core::socket, request.smt) == "");
      }
      for (const auto& row : p.worker_cores) RC_ASSERT(row.size() == at(request.workers));
    }
  }));
}

TEST(PolicyProperty, FamiliesKeepTheirPromisesWhateverMemoryIsFaster) {
  EXPECT_TRUE(rc::check("P1-P5 with measured memory", [] {
    auto [machine, request] = any_case();
    const std::size_t nodes = machine.nodes.size();
    machine.measured.node_gb_per_s.assign(nodes, std::vector<double>(nodes, 1));
    for (std::size_t n = 0; n < nodes; ++n)
      machine.measured.node_gb_per_s[n][n] = *rc::gen::element(0.0, 10.0, 10.3, 20.0, 40.0);
    for (auto name : {"local", "distributed", "numa"}) {
      Placement p = place(name, machine, request);
      RC_ASSERT(ranges_overlap(p) == "");
      RC_ASSERT(wrong_core(machine, p, request.smt) == "");
      RC_ASSERT(needless_moves(p) == "");
      RC_ASSERT(name == std::string_view("numa") || wrong_width(p) == "");
      for (const auto& row : p.worker_cores) RC_ASSERT(row.size() == at(request.workers));
    }
  }));
}

TEST(Policies, BeginWithTheSocketWhoseMemoryWasMeasuredToBeFaster) {
  Machine machine = uniform(3, 2, 4);
  const auto sockets = [&](const char* name, int workers) {
    std::vector<int> used;
    for (const auto& [socket, count] :
         count_by(place(name, machine, {.workers = workers}).start(), &WorkerCore::socket))
      used.push_back(socket);
    return used;
  };
  for (const char* name : {"local", "distributed", "numa"})
    EXPECT_EQ(sockets(name, 4), std::vector<int>{0}) << name << ": nothing is known";
  machine.measured.node_gb_per_s = {{10, 1, 1}, {1, 20, 1}, {1, 1, 10.2}};
  for (const char* name : {"local", "distributed", "numa"}) {
    EXPECT_EQ(sockets(name, 4), std::vector<int>{1}) << name;
    EXPECT_EQ(sockets(name, 12), (std::vector<int>{0, 1})) << name << ": the third is not known to be faster";
  }
  const Placement widening = place("local", machine, {.workers = 6});
  EXPECT_EQ(count_by(widening.worker_cores.back(), &WorkerCore::socket).size(), 3U) << "a controller may use them all";
  machine.measured.doubts = {"another program ran"};
  EXPECT_EQ(sockets("local", 4), std::vector<int>{0}) << "a doubtful profile decides nothing";
}

TEST(Policies, BeginWithTheSocketThatHasTheFastestNode) {
  const Shape::Die die{4, 32ULL << 20};
  Shape shape;
  shape.sockets = {{{die}, {die}}, {{die}, {die}}};
  Machine machine = build(shape);
  for (const std::vector<double>& rates : {std::vector<double>{20, 20, 10, 40}, {20, 20, 40, 10}}) {
    machine.measured.node_gb_per_s.assign(4, std::vector<double>(4, 1));
    for (std::size_t node = 0; node < 4; ++node) machine.measured.node_gb_per_s[node][node] = rates[node];
    const auto sockets = count_by(place("local", machine, {.workers = 4}).start(), &WorkerCore::socket);
    EXPECT_EQ(sockets, (std::map<int, int>{{1, 4}})) << "its other node is the slowest of all";
  }
}

TEST(Policies, BeginWithTheNodeOfASocketWhoseMemoryWasMeasuredToBeFaster) {
  const Shape::Die die{4, 32ULL << 20};
  Shape shape;
  shape.sockets = {{{die, die}, {die, die}}};
  Machine machine = build(shape);
  machine.measured.node_gb_per_s = {{10, 8}, {8, 20}};
  for (const char* name : {"local", "numa"}) {
    const auto nodes = count_by(place(name, machine, {.workers = 8}).start(), &WorkerCore::node);
    EXPECT_EQ(nodes, (std::map<int, int>{{1, 8}})) << name;
  }
}

TEST(PolicyProperty, AnyMixOfSpreadsPutsEveryWorkerOnACoreOfItsOwn) {
  EXPECT_TRUE(rc::check("P1 through lookup", [] {
    auto [machine, request] = any_case();
    Placement p = place("local", machine, request);
    std::set<int> cpus;
    for (int w = 0; w < request.workers; ++w) cpus.insert(p.lookup(w, *rc::gen::inRange(-1, 40)).cpu);
    RC_ASSERT(cpus.size() == at(request.workers));
  }));
}

TEST(PolicyProperty, NumaFillsNodeAfterNodeWithinSocketAfterSocket) {
  EXPECT_TRUE(rc::check([] {
    auto [machine, request] = any_case();
    request.sockets = SocketOrder::fill;
    Placement p = place("numa", machine, request);
    RC_ASSERT(ranges_overlap(p) == "");
    RC_ASSERT(wrong_core(machine, p, request.smt) == "");
    RC_ASSERT(out_of_order(machine, p, &WorkerCore::socket, &Core::socket, request.smt) == "");
    RC_ASSERT(out_of_order(machine, p, &WorkerCore::node, &Core::node, request.smt) == "");
  }));
}

TEST(PolicyProperty, PlacementIsAFunctionOfMachineAndRequestAlone) {
  EXPECT_TRUE(rc::check("P7", [] {
    auto [machine, request] = any_case();
    for (auto name : {"local", "distributed", "numa", "os"}) {
      Placement first = place(name, machine, request);
      Request other = request;
      other.workers = 1;
      place(name, machine, other);
      Placement again = place(name, Machine(machine), request);
      RC_ASSERT(first.worker_cores == again.worker_cores);
      RC_ASSERT(first.levels == again.levels);
      RC_ASSERT(first.initial == again.initial);
    }
  }));
}

TEST(PolicyProperty, MoreWorkersThanCoresIsAnErrorOfEveryPolicyThatNamesBothNumbers) {
  EXPECT_TRUE(rc::check("P8", [] {
    auto [machine, request] = any_case();
    int room = capacity(machine, request.smt);
    request.workers = room + *rc::gen::inRange(1, 1000);
    for (const PlacementPolicy& each : policies()) {
      try {
        each.place(machine, request);
        RC_FAIL("placed");
      } catch (const Error& error) {
        std::string text = error.what();
        RC_ASSERT(error.code() == Errc::too_many_workers);
        RC_ASSERT(text.find(std::to_string(request.workers) + " workers") != std::string::npos);
        RC_ASSERT(text.find("on " + std::to_string(room) + " allowed") != std::string::npos);
        RC_ASSERT(text.find("share_cores") != std::string::npos);
        RC_ASSERT(text.find('\n') == std::string::npos);
      }
    }
  }));
}

TEST(PolicyProperty, SharedCoresAreDealtInTurnSoThatNoneHasTwoMoreThanAnother) {
  EXPECT_TRUE(rc::check([] {
    auto [machine, request] = any_case();
    int room = capacity(machine, request.smt);
    request.share_cores = true;
    request.workers = room + *rc::gen::inRange(1, 200);
    for (auto name : {"local", "distributed", "numa"}) {
      Placement p = place(name, machine, request);
      auto loads = sizes(count_by(p.start(), &WorkerCore::cpu));
      RC_ASSERT(p.start().size() == at(request.workers));
      RC_ASSERT(loads.size() == at(room));
      auto [least, most] = std::minmax_element(loads.begin(), loads.end());
      RC_ASSERT(*most - *least <= 1);
    }
  }));
}

TEST(PolicyProperty, LocalUsesTheFewestChipletsOfASocketThatHoldTheWorkers) {
  EXPECT_TRUE(rc::check([] {
    Machine machine = *any_machine();
    std::vector<int> capacities;
    for (const Chiplet& chiplet : machine.chiplets) {
      if (chiplet.socket == machine.cores.front().socket) capacities.push_back(static_cast<int>(chiplet.cores.size()));
    }
    int socket_capacity = std::accumulate(capacities.begin(), capacities.end(), 0);
    Request request;
    request.workers = *rc::gen::inRange(1, socket_capacity + 1);
    std::sort(capacities.rbegin(), capacities.rend());
    std::size_t fewest = 0;
    for (int room = 0; room < request.workers; ++fewest) room += capacities[fewest];
    Placement p = place("local", machine, request);
    RC_ASSERT(count_by(p.start(), &WorkerCore::chiplet).size() == fewest);
    RC_ASSERT(count_by(p.start(), &WorkerCore::socket).size() == 1U);
  }));
}

TEST(PolicyProperty, BalanceSharesTheWorkersEvenlyOverSocketsAtEveryLevel) {
  EXPECT_TRUE(rc::check([] {
    auto [machine, request] = any_case();
    request.sockets = SocketOrder::balance;
    request.smt = false;
    request.workers = *rc::gen::inRange(1, capacity(machine, false) + 1);
    std::map<int, int> room;
    for (const Core& core : machine.cores) ++room[core.socket];
    for (auto name : {"local", "distributed", "numa"}) {
      for (const auto& row : place(name, machine, request).worker_cores) {
        auto used = count_by(row, &WorkerCore::socket);
        int most = 0;
        for (auto [socket, load] : used) most = std::max(most, load);
        for (auto [socket, cores] : room) RC_ASSERT(used[socket] == cores || used[socket] >= most - 1);
      }
    }
  }));
}

TEST(Local, StartsAtTheLeastLevelThatFitsAndCanSpreadFromThere) {
  Placement p = place("local", uniform(1, 8, 8), {.workers = 16});
  EXPECT_EQ(p.levels, (std::vector<int>{2, 4, 8}));
  EXPECT_EQ(sizes(count_by(p.start(), &WorkerCore::chiplet)), (std::vector<int>{8, 8}));
  EXPECT_EQ(p.start(), p.worker_cores.front());
}

TEST(Local, StartsAtTheRequestedSpreadClampedToTheLevels) {
  Machine machine = uniform(1, 8, 8);
  EXPECT_EQ(place("local", machine, {.workers = 16, .spread = 4}).initial, 1);
  EXPECT_EQ(place("local", machine, {.workers = 16, .spread = 7}).initial, 1);
  EXPECT_EQ(place("local", machine, {.workers = 16, .spread = 99}).initial, 2);
  EXPECT_EQ(place("local", machine, {.workers = 16, .spread = 1}).initial, 0);
}

TEST(Local, PassesByChipletsThatACpusetLeftNearlyEmpty) {
  Shape shape;
  shape.sockets = {{{{4, 32}, {4, 32}}}};
  shape.forbidden = {1, 2, 3};
  Placement p = place("local", build(shape), {.workers = 4});
  EXPECT_EQ(count_by(p.start(), &WorkerCore::chiplet).size(), 1U);
}

TEST(Distributed, UsesAllChipletsOfTheSocketItFills) {
  Placement p = place("distributed", uniform(2, 8, 8), {.workers = 8});
  EXPECT_EQ(sizes(count_by(p.start(), &WorkerCore::chiplet)), (std::vector<int>(8, 1)));
  EXPECT_EQ(count_by(p.start(), &WorkerCore::socket).size(), 1U);
}

TEST(Distributed, BalancedOverSocketsUsesAllChipletsOfTheMachine) {
  Placement p = place("distributed", uniform(2, 8, 8), {.workers = 32, .sockets = SocketOrder::balance});
  EXPECT_EQ(sizes(count_by(p.start(), &WorkerCore::chiplet)), (std::vector<int>(16, 2)));
}

TEST(Distributed, UsesASmallerCacheToo) {
  Shape shape;
  shape.sockets = {{{{8, 96ULL << 20}, {8, 32ULL << 20}}}};
  Placement p = place("distributed", build(shape), {.workers = 2});
  EXPECT_EQ(count_by(p.start(), &WorkerCore::chiplet).size(), 2U);
}

TEST(Fill, GivesTheSecondSocketAFamilyOfItsOwnOnceTheFirstIsFull) {
  Placement p = place("local", uniform(2, 8, 8), {.workers = 72, .sockets = SocketOrder::fill});
  EXPECT_EQ(p.levels, (std::vector<int>{9, 10, 12, 16}));
  for (const auto& row : p.worker_cores) EXPECT_EQ(count_by(row, &WorkerCore::socket)[0], 64);
}

TEST(Widen, BeginsOnAsFewSocketsAsHoldTheWorkersAndGoesOnToAll) {
  Placement p = place("local", uniform(2, 8, 8), {.workers = 64});
  EXPECT_EQ(p.levels, (std::vector<int>{8, 16})) << "one socket is full, and the other one free";
  EXPECT_EQ(count_by(p.start(), &WorkerCore::socket).size(), 1U);
  EXPECT_EQ(sizes(count_by(p.worker_cores.back(), &WorkerCore::chiplet)), (std::vector<int>(16, 4)));
  EXPECT_EQ(place("local", uniform(4, 4, 8), {.workers = 32}).levels, (std::vector<int>{4, 8, 16}));
  EXPECT_EQ(place("local", uniform(2, 1, 32), {.workers = 32}).levels, (std::vector<int>{1, 2}));
  EXPECT_EQ(place("local", uniform(2, 12, 8), {.workers = 16}).levels, (std::vector<int>{2, 4, 8, 12, 16}));
}

TEST(Widen, IsForPoliciesThatMoveWorkers) {
  for (const auto* name : {"distributed", "numa"}) {
    for (int workers : {8, 64, 72}) {
      const Machine machine = uniform(2, 8, 8);
      EXPECT_EQ(place(name, machine, {.workers = workers}).worker_cores,
                place(name, machine, {.workers = workers, .sockets = SocketOrder::fill}).worker_cores);
    }
  }
}

TEST(Numa, TakesTheFewestNodesAndAllTheirChiplets) {
  Shape shape;
  std::vector<Shape::Die> dies(2, {8, 32ULL << 20});
  shape.sockets = {{dies, dies, dies, dies}};
  Placement p = place("numa", build(shape), {.workers = 10});
  EXPECT_EQ(count_by(p.start(), &WorkerCore::node).size(), 1U);
  EXPECT_EQ(sizes(count_by(p.start(), &WorkerCore::chiplet)), (std::vector<int>{5, 5}));
  p = place("numa", build(shape), {.workers = 20});
  EXPECT_EQ(sizes(count_by(p.start(), &WorkerCore::node)), (std::vector<int>{16, 4}));
}

TEST(Numa, SplitsAChipletThatSpansNodes) {
  Machine machine = uniform(1, 1, 8);
  machine.nodes.push_back({1, 1, {}, 0, 0});
  for (std::size_t c = 4; c < 8; ++c) machine.cores[c].node = 1;
  Placement p = place("numa", machine, {.workers = 6});
  EXPECT_EQ(sizes(count_by(p.start(), &WorkerCore::node)), (std::vector<int>{4, 2}));
  EXPECT_EQ(ranges_overlap(p), "");
}

TEST(Os, BindsNobody) {
  Placement p = place("os", uniform(1, 2, 4), {.workers = 5});
  ASSERT_EQ(p.start().size(), 5U);
  for (const WorkerCore& worker_core : p.start()) EXPECT_EQ(worker_core, WorkerCore{});
}

TEST(Smt, SiblingsAreUsedOnlyOnRequestAndAfterAllFirstThreadsOfTheChiplet) {
  Machine machine = uniform(1, 2, 4, 2);
  EXPECT_THROW(place("local", machine, {.workers = 9}), Error);
  Placement p = place("local", machine, {.workers = 6, .smt = true});
  EXPECT_EQ(count_by(p.start(), &WorkerCore::chiplet).size(), 1U);
  std::vector<int> cpus;
  for (const WorkerCore& worker_core : p.start()) cpus.push_back(worker_core.cpu);
  EXPECT_EQ(cpus, (std::vector<int>{0, 1, 2, 3, 8, 9}));
}

TEST(Smt, AForbiddenFirstThreadIsReplacedByItsSibling) {
  Shape shape;
  shape.sockets = {{{{2, 32}}}};
  shape.smt = 2;
  shape.forbidden = {0};
  Placement p = place("local", build(shape), {.workers = 2});
  EXPECT_EQ(p.start()[0].cpu, 2);
  EXPECT_EQ(p.start()[1].cpu, 1);
}

/// What the remedy offers has to help.
TEST(Request, TooManyWorkersAreToldOfHardwareThreadsWhereTheseSuffice) {
  const Machine machine = uniform(1, 2, 4, 2);  // 8 cores, 16 threads
  const auto told = [&](int workers, bool smt) -> std::string {
    try {
      policy("local").place(machine, {.workers = workers, .smt = smt});
    } catch (const Error& error) {
      return error.what();
    }
    return "";
  };
  EXPECT_EQ(told(8, false), "");
  EXPECT_EQ(told(9, false),
            "9 workers do not fit on 8 allowed physical cores; ask for at most 8, allow SMT siblings (smt, 16 hardware "
            "threads), or let workers share cores (share_cores)");
  EXPECT_NE(told(16, false).find("allow SMT siblings"), std::string::npos);
  EXPECT_EQ(told(17, false).find("allow SMT siblings"), std::string::npos) << "they would not suffice";
  EXPECT_EQ(told(16, true), "");
  EXPECT_EQ(told(17, true),
            "17 workers do not fit on 16 allowed hardware threads; ask for at most 16, or let workers share cores "
            "(share_cores)");
}

TEST(MemoryRate, IsThatOfANodesOwnMemoryWhereItWasMeasuredAndNotDoubted) {
  Machine machine = uniform(2, 1, 1);
  EXPECT_EQ(memory_rate(machine, 0), 0) << "not measured";
  machine.measured.node_gb_per_s = {{16, 99}, {99, 32}};
  EXPECT_EQ(memory_rate(machine, 0), 100 + 4 * 4);
  EXPECT_EQ(memory_rate(machine, 1), 100 + 4 * 5);
  EXPECT_EQ(memory_rate(machine, 2), 0) << "no such row";
  machine.measured.node_gb_per_s[0][0] = .5;
  EXPECT_EQ(memory_rate(machine, 0), 100 - 4) << "slow, but measured";
  EXPECT_EQ(memory_rate(machine, -1), 0);
  machine.measured.node_gb_per_s = {{0, 99}, {99}};
  EXPECT_EQ(memory_rate(machine, 0), 0) << "nothing came";
  EXPECT_EQ(memory_rate(machine, 1), 0) << "its own column is missing";
  machine.measured.node_gb_per_s = {{16, 99}, {99, 32}};
  machine.measured.doubts = {"another program ran"};
  EXPECT_EQ(memory_rate(machine, 0), 0);
}

TEST(Request, BelowOneWorkerIsAnError) {
  for (int workers : {0, -1}) {
    for (const PlacementPolicy& each : policies())
      EXPECT_THROW(each.place(uniform(1, 1, 1), {.workers = workers}), Error);
  }
}

TEST(Registry, AnUnknownPolicyIsAnErrorThatNamesThoseThereAre) {
  try {
    policy("nearest");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::bad_config);
    for (const PlacementPolicy& each : policies())
      EXPECT_NE(std::string(error.what()).find(each.name), std::string::npos);
  }
}

TEST(Lookup, TakesTheHighestLevelThatIsNotAboveTheSpread) {
  Placement p = place("local", uniform(1, 12, 8), {.workers = 16});
  ASSERT_EQ(p.levels, (std::vector<int>{2, 4, 8, 12}));
  std::vector<int> found;
  for (int spread : {-5, 0, 1, 2, 3, 4, 7, 8, 11, 12, 13, 1 << 30})
    found.push_back(p.levels[at(p.level_index(spread))]);
  EXPECT_EQ(found, (std::vector<int>{2, 2, 2, 2, 2, 4, 4, 8, 8, 12, 12, 12}));
}

}  // namespace
