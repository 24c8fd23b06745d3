// What each policy gives, and what is refused.
#include "tools/deploy/plan.hpp"

#include <charm/error.hpp>

#include <string>

#include <gtest/gtest.h>

#include "base/error_code.hpp"
#include "deploy/plans.hpp"
#include "placement/machines.hpp"

namespace {

using namespace charm;
using namespace charm::deploy;
using charm::test::code_of;
using charm::test::plan_of;
using charm::test::request_of;
using charm::test::uniform;
using charm::test::with_memory;

std::vector<std::string> cpus_of(const Plan& plan) {
  std::vector<std::string> all;
  for (const Worker& worker : plan.workers) all.push_back(worker.cpus.to_text());
  return all;
}

using Texts = std::vector<std::string>;

TEST(Plan, HasAWorkerForEachMachineNodeChipletOrCore) {
  const Machine machine = with_memory(uniform(2, 2, 2), 64);
  EXPECT_EQ(cpus_of(plan_of(machine, request_of(Policy::wim))), (Texts{"0-7"}));
  EXPECT_EQ(cpus_of(plan_of(machine, request_of(Policy::win))), (Texts{"0-3", "4-7"}));
  EXPECT_EQ(cpus_of(plan_of(machine, request_of(Policy::wicp))), (Texts{"0-1", "2-3", "4-5", "6-7"}));
  EXPECT_EQ(cpus_of(plan_of(machine, request_of(Policy::wic))), (Texts{"0", "1", "2", "3", "4", "5", "6", "7"}));
}

TEST(Plan, SpreadsMixedWorkersOverTheChipletsOfTheirNode) {
  const Machine machine = with_memory(uniform(2, 2, 2), 64);
  EXPECT_EQ(cpus_of(plan_of(machine, request_of(Policy::wicp, Shape::mixed))), (Texts{"0,2", "1,3", "4,6", "5,7"}));
}

TEST(Plan, DividesAChipletIntoPartsThatDifferByOneCore) {
  Request request = request_of(Policy::wicp);
  request.per_chiplet = 4;
  EXPECT_EQ(cpus_of(plan_of(with_memory(uniform(1, 1, 6), 64), request)), (Texts{"0-1", "2-3", "4", "5"}));
  request.per_chiplet = 7;
  EXPECT_EQ(code_of([&] { plan_of(with_memory(uniform(1, 1, 6), 64), request); }), Errc::bad_input);
}

TEST(Plan, GivesBothHardwareThreadsOfACoreToOneWorker) {
  const Machine machine = with_memory(uniform(1, 2, 2, 2), 64);
  Plan plan = plan_of(machine);
  EXPECT_EQ(cpus_of(plan), (Texts{"0-1", "2-3"}));
  EXPECT_EQ(plan.workers[0].core_cpus.to_text(), "0-1,4-5");
  ASSERT_EQ(plan.hosts[0].left_over.size(), 1U);
  EXPECT_EQ(plan.hosts[0].left_over[0].cpus.to_text(), "4-7");
  Request request;
  request.smt = true;
  plan = plan_of(machine, request);
  EXPECT_EQ(cpus_of(plan), (Texts{"0-1,4-5", "2-3,6-7"}));
  EXPECT_TRUE(plan.hosts[0].left_over.empty());
}

TEST(Plan, LeavesCoresToTheSystemSoThatChipletsStayEqual) {
  Request request;
  request.leave_cores = 2;
  EXPECT_EQ(cpus_of(plan_of(with_memory(uniform(1, 2, 4), 64), request)), (Texts{"0-2", "4-6"}));
  request.leave_cores = 8;
  EXPECT_EQ(code_of([&] { plan_of(with_memory(uniform(1, 2, 4), 64), request); }), Errc::bad_input);
}

TEST(Plan, KeepsWithinTheQuotaOfTheCgroup) {
  Machine machine = with_memory(uniform(1, 2, 4), 64);
  machine.cpu_quota = 2.5;
  const Plan plan = plan_of(machine, request_of(Policy::wic));
  EXPECT_EQ(cpus_of(plan), (Texts{"0", "1"}));
  EXPECT_EQ(plan.hosts[0].left_over[0].cpus.to_text(), "2-7");
  machine.cpu_quota = 0.5;
  EXPECT_EQ(plan_of(machine, request_of(Policy::wic)).workers.size(), 1U);
}

TEST(Plan, UsesOnlyTheCpusThatAreNamed) {
  Request request = request_of(Policy::wicp);
  request.cpus = CpuSet{0, 1, 4};
  EXPECT_EQ(cpus_of(plan_of(with_memory(uniform(1, 2, 4), 64), request)), (Texts{"0-1", "4"}));
  request.cpus = CpuSet{0, 99};
  EXPECT_EQ(code_of([&] { plan_of(with_memory(uniform(1, 2, 4), 64), request); }), Errc::bad_input);
}

TEST(Plan, NumbersPortsByHostAndRefusesThoseBeyondTheLast) {
  const Machine machine = with_memory(uniform(1, 2, 2), 64);
  const std::vector hosts = {test::host_of(machine, "a"), test::host_of(machine, "b")};
  const Plan plan = make_plan(hosts, {});
  ASSERT_EQ(plan.workers.size(), 4U);
  EXPECT_EQ(plan.workers[1].port, 20002);
  EXPECT_EQ(plan.workers[2].port, 20000);
  EXPECT_EQ(plan.workers[2].name, "b-w0");
  Request request;
  request.port = 65533;
  EXPECT_EQ(code_of([&] { make_plan(hosts, request); }), Errc::bad_input);
  request.port = 65532;
  EXPECT_EQ(code_of([&] { make_plan(hosts, request); }), std::nullopt);
}

TEST(Plan, RefusesRequestsThatContradictThemselves) {
  const Machine machine = with_memory(uniform(2, 2, 2), 64);
  EXPECT_EQ(code_of([&] { plan_of(machine, request_of(Policy::win, Shape::mixed)); }), Errc::bad_config);
  Request request = request_of(Policy::wic);
  request.per_chiplet = 2;
  EXPECT_EQ(code_of([&] { plan_of(machine, request); }), Errc::bad_config);
  request = request_of(Policy::wim);
  request.memory = Memory::preferred;  // of two nodes
  EXPECT_EQ(code_of([&] { plan_of(machine, request); }), Errc::bad_config);
  request.memory = Memory::weighted;
  EXPECT_EQ(plan_of(machine, request).workers.front().memory, Memory::weighted);
  request.policy = Policy::win;  // one node each
  EXPECT_EQ(code_of([&] { plan_of(machine, request); }), Errc::bad_config);
  const std::vector twice = {test::host_of(machine, "a"), test::host_of(machine, "a")};
  EXPECT_EQ(code_of([&] { make_plan(twice, {}); }), Errc::bad_config);
  EXPECT_EQ(code_of([&] { make_plan({}, {}); }), Errc::bad_config);
}

TEST(Plan, SaysWhichWorkersHaveCoresOfTwoKinds) {
  Machine machine = with_memory(uniform(1, 1, 4), 64);
  for (const std::size_t slow : {2U, 3U}) machine.cores[slow].kind = CoreKind::efficiency;
  const std::vector hosts = {test::host_of(machine)};
  const Plan plan = make_plan(hosts, request_of(Policy::wim));
  ASSERT_EQ(plan.hosts[0].notes.size(), 1U);
  EXPECT_NE(plan.hosts[0].notes[0].find("2 efficiency (cpus 2-3)"), std::string::npos);
  EXPECT_NE(plan.hosts[0].notes[0].find("threads of w0"), std::string::npos);
}

TEST(Plan, LeavesTheSlowestCoresOutFirst) {
  Machine machine = with_memory(uniform(1, 2, 4), 64);
  for (const std::size_t slow : {0U, 1U, 4U}) machine.cores[slow].kind = CoreKind::efficiency;
  machine.cores[7].kind = CoreKind::low_power;
  Request request = request_of(Policy::wim);
  const Plan plan = plan_of(machine, request);
  EXPECT_EQ(plan.workers[0].cpus.to_text(), "0-6");
  EXPECT_EQ(plan.hosts[0].left_over.front().cpus.to_text(), "7");
  request.leave_cores = 2;
  EXPECT_EQ(plan_of(machine, request).workers[0].cpus.to_text(), "0,2-3,5-6");
  request.cpus = CpuSet{0, 7};
  request.leave_cores = 0;
  EXPECT_EQ(plan_of(machine, request).workers[0].cpus.to_text(), "0,7") << "asked for";
  machine.cpu_quota = 3;
  EXPECT_EQ(plan_of(machine, request_of(Policy::wim)).workers[0].cpus.to_text(), "2-3,5");
}

TEST(Plan, SaysWhatTheDescriptionDoubts) {
  Machine machine = with_memory(uniform(1, 1, 4), 64);
  machine.doubts = {"No machine has this."};
  EXPECT_EQ(plan_of(machine, request_of(Policy::wim)).hosts[0].notes, machine.doubts);
}

}  // namespace
