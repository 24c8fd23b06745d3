// The workers' memory: by nodes, never overcommitted, from the nearest node where their own has none.
#include "tools/deploy/memory.hpp"

#include <charm/error.hpp>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "base/folder.hpp"
#include "deploy/plans.hpp"
#include "os/memory/memory.hpp"
#include "placement/machines.hpp"

namespace {

using namespace charm;
using namespace charm::deploy;
using charm::test::code_of;
using charm::test::plan_of;
using charm::test::request_of;
using charm::test::uniform;
using charm::test::with_memory;

constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

TEST(WorkerMemory, IsTheShareOfItsCoresOfTheirNode) {
  Request request = request_of(Policy::wicp);
  request.reserve = 4 * gib;
  const Plan plan = plan_of(with_memory(uniform(2, 2, 4), 20), request);
  for (const Worker& worker : plan.workers) EXPECT_EQ(worker.memory_bytes, 8 * gib);
  EXPECT_EQ(plan.workers[3].nodes, OsNodeSet{1});
  EXPECT_EQ(plan.hosts[0].memory[1].workers_bytes, 16 * gib);
}

TEST(WorkerMemory, LeavesATenthAtLeastOneGibAndAtMostHalfToTheSystem) {
  const auto system = [](std::uint64_t node_gib) {
    return plan_of(with_memory(uniform(1, 1, 2), node_gib)).hosts[0].memory[0].system_bytes;
  };
  EXPECT_EQ(system(100), 10 * gib);
  EXPECT_EQ(system(5), gib);
  EXPECT_EQ(system(1), gib / 2);
}

TEST(WorkerMemory, ComesFromTheNearestNodeWhereTheOwnOneHasNone) {
  Machine machine = with_memory(uniform(3, 1, 2), 64);
  machine.nodes[0].bytes = 0;
  machine.node_distance = {{10, 32, 20}, {32, 10, 32}, {20, 32, 10}};
  const Plan plan = plan_of(machine, request_of(Policy::win));
  ASSERT_EQ(plan.workers.size(), 3U);
  EXPECT_EQ(plan.workers[0].nodes, OsNodeSet{2});
  EXPECT_EQ(plan.workers[0].memory_bytes, plan.workers[2].memory_bytes) << "the two share node 2";
  EXPECT_GT(plan.workers[1].memory_bytes, plan.workers[2].memory_bytes);
  EXPECT_NE(plan.hosts[0].notes.at(0).find("node 2, the nearest"), std::string::npos);
}

TEST(WorkerMemory, OfMemoryWithoutCoresIsLeftOver) {
  Machine machine = with_memory(uniform(1, 2, 2), 64);
  machine.nodes.push_back({1, 7, {}, 128 * gib, -1, "CXL"});
  const Plan plan = plan_of(machine);
  ASSERT_EQ(plan.hosts[0].left_over.size(), 1U);
  EXPECT_EQ(plan.hosts[0].left_over[0].nodes, OsNodeSet{7});
  EXPECT_NE(plan.hosts[0].left_over[0].why.find("CXL"), std::string::npos);
}

TEST(WorkerMemory, AvoidsNodesThatTheCgroupForbids) {
  Host host = test::host_of(with_memory(uniform(2, 1, 2), 64));
  host.memory_nodes = OsNodeSet{1};
  std::vector hosts = {host};
  for (const Worker& worker : make_plan(hosts, request_of(Policy::win)).workers) EXPECT_EQ(worker.nodes, OsNodeSet{1});
  hosts[0].memory_nodes = OsNodeSet{9};
  EXPECT_EQ(code_of([&] { make_plan(hosts, {}); }), Errc::bad_input);
}

TEST(WorkerMemory, StaysWithinTheLimitOfTheCgroup) {
  Host host = test::host_of(with_memory(uniform(2, 2, 2), 64));
  host.memory_limit = 20 * gib;
  const std::vector hosts = {host};
  std::uint64_t sum = 0;
  for (const Worker& worker : make_plan(hosts, {}).workers) sum += worker.memory_bytes;
  EXPECT_LE(sum, 18 * gib);
  EXPECT_GE(sum, 17 * gib);
}

TEST(WorkerMemory, OfWhichOtherProgramsHaveAPartIsNoted) {
  Host host = test::host_of(with_memory(uniform(1, 2, 2), 64));
  host.memory_available = 60 * gib;
  std::vector hosts = {host};
  EXPECT_TRUE(make_plan(hosts, {}).hosts[0].notes.empty());
  hosts[0].memory_available = 20 * gib;
  const auto notes = make_plan(hosts, {}).hosts[0].notes;
  ASSERT_EQ(notes.size(), 1U);
  EXPECT_NE(notes[0].find("leave 20 GiB"), std::string::npos) << notes[0];
  EXPECT_NE(notes[0].find("--reserve"), std::string::npos) << notes[0];
}

TEST(WorkerMemory, ThatIsTooLittleIsRefused) {
  Request request = request_of(Policy::wic);
  request.node_memory = gib;
  EXPECT_EQ(code_of([&] { plan_of(uniform(1, 4, 8), request); }), Errc::bad_input);
  request.node_memory = 0;
  request.reserve = 70 * gib;
  EXPECT_EQ(code_of([&] { plan_of(with_memory(uniform(1, 1, 2), 64), request); }), Errc::bad_input);
}

TEST(WorkerMemory, IsNotInventedWhereItIsNotTold) {
  const Plan plan = plan_of(uniform(1, 2, 2));
  for (const Worker& worker : plan.workers) EXPECT_EQ(worker.memory_bytes, 0U);
  EXPECT_NE(plan.hosts[0].notes.at(0).find("--node-memory"), std::string::npos);
}

TEST(MemoryLimit, IsTheTightestFromTheGroupUpwards) {
  const test::Folder root;
  root.line("proc/self/cgroup", "0::/slice/job");
  EXPECT_EQ(os::cgroup_memory_limit(root.root()), std::nullopt);
  root.line("sys/fs/cgroup/slice/job/memory.max", "max");
  EXPECT_EQ(os::cgroup_memory_limit(root.root()), std::nullopt);
  root.line("sys/fs/cgroup/slice/memory.max", "8589934592");
  root.line("sys/fs/cgroup/slice/memory.current", "1000000000");
  EXPECT_EQ(os::cgroup_memory_limit(root.root()), 8 * gib) << "the limit, and not what is left of it";
}

TEST(AllowedMemoryNodes, AreThoseOfProc) {
  const test::Folder root;
  EXPECT_EQ(os::allowed_memory_nodes(root.root()), std::nullopt);
  root.file("proc/self/status", "Name:\tx\nMems_allowed:\t3\nMems_allowed_list:\t0-1,4\n");
  EXPECT_EQ(os::allowed_memory_nodes(root.root()), (OsNodeSet{0, 1, 4}));
}

TEST(WorkerMemory, OfADescriptionIsWhatTheUserSays) {
  Request request = request_of(Policy::win);
  request.reserve = gib;
  request.node_memory = 64 * gib;
  charm::Machine machine = with_memory(uniform(2, 2, 4), 1);  // as hwloc takes it for a synthetic machine
  machine.origin = "synthetic:pack:2 l3:2 core:4 pu:1";
  EXPECT_EQ(plan_of(machine, request).workers.front().memory_bytes, 63 * gib);
  machine = with_memory(uniform(2, 2, 4), 16);
  machine.origin = "live";
  const Plan here = plan_of(machine, request);
  EXPECT_EQ(here.workers.front().memory_bytes, 15 * gib);
  ASSERT_FALSE(here.hosts[0].notes.empty());
  EXPECT_NE(here.hosts[0].notes.front().find("--node-memory is not used"), std::string::npos);
}

}  // namespace
