// What is true of every plan (tools/deploy/plan.hpp), over random machines and requests.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "deploy/plans.hpp"
#include "placement/machines.hpp"
#include "tools/deploy/coordinator.hpp"
#include "tools/deploy/plan_json.hpp"
#include "tools/deploy/target.hpp"

namespace {

using namespace charm;
using namespace charm::deploy;

struct Case {
  Host host;
  Request request;
  std::optional<Plan> plan;  // nothing: refused
};

Case any_case() {
  Case any;
  any.host = test::host_of(*test::any_machine());
  Machine& machine = any.host.machine;
  constexpr std::uint64_t gib = std::uint64_t{1} << 30U;
  for (Node& node : machine.nodes) {
    node.bytes = *rc::gen::element<std::uint64_t>(0, 8, 63, 64, 511) * gib + *rc::gen::inRange<std::uint64_t>(0, gib);
    if (*rc::gen::inRange(0, 6) == 0) node.bytes = 0;
  }
  if (*rc::gen::inRange(0, 3) == 0) any.host.memory_limit = *rc::gen::inRange<std::uint64_t>(4, 200) * gib;
  if (*rc::gen::inRange(0, 4) == 0) machine.cpu_quota = *rc::gen::inRange(1, 80) / 4.0;
  any.request.policy = *rc::gen::element(Policy::wim, Policy::win, Policy::wicp, Policy::wicp, Policy::wic);
  if (any.request.policy == Policy::wicp) {
    any.request.shape = *rc::gen::element(Shape::local, Shape::mixed);
    any.request.per_chiplet = *rc::gen::element(1, 1, 2, 3);
  }
  any.request.smt = *rc::gen::arbitrary<bool>();
  any.request.leave_cores = *rc::gen::element(0, 0, 1, 2);
  const std::vector hosts = {any.host};
  try {
    any.plan = make_plan(hosts, any.request);
  } catch (const Error& refused) {
    RC_ASSERT(refused.code() == Errc::bad_input);
    RC_ASSERT(!refused.remedy().empty());
  }
  return any;
}

bool holds_for_plans(const std::function<void(const Case&)>& property, const char* name) {
  return rc::check(name, [&] {
    const Case any = any_case();
    RC_CLASSIFY(!any.plan.has_value(), "refused");
    if (any.plan) property(any);
  });
}

TEST(EveryPlan, GivesNoHardwareThreadAndNoCoreTwice) {
  EXPECT_TRUE(holds_for_plans(
      [](const Case& any) {
        CpuSet seen;
        for (const Worker& worker : any.plan->workers) {
          RC_ASSERT(!worker.cpus.empty());
          RC_ASSERT(worker.cpus.is_subset_of(worker.core_cpus));
          RC_ASSERT(!worker.core_cpus.intersects(seen));
          seen |= worker.core_cpus;
        }
      },
      "D1"));
}

TEST(EveryPlan, CoversAllCpusAndNodesOrNamesThemAsLeftOver) {
  EXPECT_TRUE(holds_for_plans(
      [](const Case& any) {
        CpuSet cpus;
        OsNodeSet nodes;
        for (const Worker& worker : any.plan->workers) {
          cpus |= worker.cpus;
          nodes |= worker.nodes;
        }
        for (const LeftOver& rest : any.plan->hosts[0].left_over) {
          RC_ASSERT(!rest.cpus.intersects(cpus));
          RC_ASSERT(!rest.nodes.intersects(nodes));
          RC_ASSERT(!rest.why.empty());
          cpus |= rest.cpus;
          nodes |= rest.nodes;
        }
        const Machine& machine = any.host.machine;
        RC_ASSERT(cpus == (machine.allowed_cpus | machine.forbidden_cpus));
        for (const Node& node : machine.nodes) RC_ASSERT(nodes.contains(node.os_index));
      },
      "D3"));
}

TEST(EveryPlan, CommitsNoMemoryTwice) {
  EXPECT_TRUE(holds_for_plans(
      [](const Case& any) {
        std::uint64_t all = 0;
        for (const Worker& worker : any.plan->workers) {
          RC_ASSERT(worker.heap_bytes <= worker.memory_bytes);
          all += worker.memory_bytes;
        }
        std::uint64_t on_nodes = 0;
        for (const NodeShare& share : any.plan->hosts[0].memory) {
          RC_ASSERT(share.workers_bytes + share.system_bytes <= share.bytes);
          on_nodes += share.workers_bytes;
        }
        RC_ASSERT(all == on_nodes);
        const std::uint64_t with_coordinator = all + coordinator_memory(*any.plan, any.plan->hosts[0]);
        RC_ASSERT(any.host.memory_limit == 0 || with_coordinator < any.host.memory_limit);
      },
      "D2"));
}

TEST(EveryPlan, KeepsWorkersBelowTheirMachineWithinANodeAndLocalOnesWithinAChiplet) {
  EXPECT_TRUE(holds_for_plans(
      [](const Case& any) {
        for (const Worker& worker : any.plan->workers) {
          if (any.request.policy != Policy::wim) RC_ASSERT(worker.nodes.size() == 1U);
          if (any.request.policy == Policy::wicp && any.request.shape == Shape::local)
            RC_ASSERT(worker.chiplets.size() == 1U);
        }
      },
      "locality"));
}

TEST(EveryPlan, HasMixedWorkersOfTheSizesOfLocalOnesSpreadByTheSizesOfTheChiplets) {
  EXPECT_TRUE(holds_for_plans(
      [](const Case& any) {
        if (any.request.policy != Policy::wicp) return;
        Request other = any.request;
        other.shape = any.request.shape == Shape::local ? Shape::mixed : Shape::local;
        const std::vector hosts = {any.host};
        const Plan twin = make_plan(hosts, other);
        RC_ASSERT(twin.workers.size() == any.plan->workers.size());
        const Plan& mixed = other.shape == Shape::mixed ? twin : *any.plan;
        for (std::size_t w = 0; w < twin.workers.size(); ++w)
          RC_ASSERT(twin.workers[w].cores.size() == any.plan->workers[w].cores.size());
        // Of n cores on the chiplets of a node, a worker has a chiplet's share up to one core and a half.
        std::map<int, int> chiplet_size, node_size;
        std::map<int, int> node_of;  // by cpu
        CpuSet used;
        for (const Worker& worker : mixed.workers) used |= worker.core_cpus;
        for (const Core& core : any.host.machine.cores) {
          if (!core.siblings.intersects(used)) continue;
          ++chiplet_size[core.chiplet];
          ++node_size[core.node];
          for (const int cpu : core.siblings) node_of[cpu] = core.node;
        }
        for (const Worker& worker : mixed.workers) {
          std::map<int, double> has;
          const int node = node_of.at(worker.core_cpus.front());
          for (const Core& core : any.host.machine.cores)
            if (core.siblings.intersects(worker.core_cpus)) has[core.chiplet] += 1;
          for (const auto& [chiplet, size] : chiplet_size) {
            const bool here = std::any_of(any.host.machine.cores.begin(), any.host.machine.cores.end(),
                                          [&](const Core& c) { return c.chiplet == chiplet && c.node == node; });
            if (!here) continue;
            const double share = static_cast<double>(worker.cores.size()) * size / node_size.at(node);
            RC_ASSERT(std::abs(has[chiplet] - share) <= 1.5);
          }
        }
      },
      "mixed"));
}

TEST(EveryPlan, OfOneOrTwoMachinesIsWrittenForEveryTargetOrRefusedWithARemedy) {
  EXPECT_TRUE(rc::check("targets", [] {
    std::vector<Host> hosts = {any_case().host};
    Request request = any_case().request;
    if (*rc::gen::arbitrary<bool>()) {
      hosts.push_back(any_case().host);
      hosts[1].name = "b";
    }
    Plan plan;
    try {
      plan = make_plan(hosts, request);
    } catch (const Error& refused) {
      RC_ASSERT(!refused.remedy().empty());
      return;
    }
    std::set<int> ports[2];
    for (const Worker& worker : plan.workers) {
      auto& of_host = ports[worker.host == "b" ? 1 : 0];
      RC_ASSERT(of_host.insert(worker.port).second);
      RC_ASSERT(of_host.insert(worker.web_port).second);
    }
    for (const Target& target : targets()) {
      try {
        std::set<std::string> paths;
        for (const File& file : files_for(target, plan, {"/bin/engine --port {port}", "registry/engine:1", "head"})) {
          RC_ASSERT(paths.insert(file.path).second);
          RC_ASSERT(!file.text.empty());
        }
        RC_ASSERT(!paths.empty());
      } catch (const Error& refused) {
        RC_ASSERT(refused.code() == Errc::bad_config || refused.code() == Errc::bad_input);
        RC_ASSERT(!refused.remedy().empty());
      }
    }
  }));
}

TEST(EveryPlan, IsTheSameAfterItWasWrittenAndReadAsJson) {
  EXPECT_TRUE(holds_for_plans(
      [](const Case& any) {
        const std::string text = base::json_text(plan_to_json(*any.plan));
        RC_ASSERT(plan_from_json(base::Json::parse(text), "test") == *any.plan);
      },
      "JSON"));
}

}  // namespace
