// Runs inside a virtual machine of a known shape and checks that a real kernel's machine is seen, used and obeyed as it
// is: topology, placement, the affinity that workers really have, the node that pages really lie on. The shape comes in
// EXPECT_... variables (tests/vm/shapes).
#include <charm/charm.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <map>
#include <memory>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "stealing/victim_selection.hpp"

namespace {

int expected(const char* what) {
  const char* value = std::getenv((std::string("EXPECT_") + what).c_str());
  if (value == nullptr) {
    ADD_FAILURE() << "the shape does not say EXPECT_" << what;
    return -1;
  }
  return std::atoi(value);
}

/// "0-3,6" as numbers.
charm::CpuSet expected_cpus() {
  const char* text = std::getenv("EXPECT_ALLOWED");
  return charm::CpuSet::parse(text == nullptr ? "" : text);
}

std::string output_of(const std::string& command) {
  std::string output;
  std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), pclose);
  std::array<char, 4096> part{};
  while (pipe && std::fgets(part.data(), part.size(), pipe.get()) != nullptr) output += part.data();
  return output;
}

int nodes_with_cpus(const charm::Machine& machine) {
  return static_cast<int>(
      std::count_if(machine.nodes.begin(), machine.nodes.end(), [](const auto& n) { return !n.cpus.empty(); }));
}

TEST(Topology, TheLibrarySeesTheMachineThatWasBooted) {
  const auto machine = charm::Machine::discover();
  EXPECT_EQ(static_cast<int>(machine.sockets.size()), expected("SOCKETS"));
  EXPECT_EQ(nodes_with_cpus(machine), expected("CPU_NODES"));
  EXPECT_EQ(static_cast<int>(machine.nodes.size()), expected("NODES"));
  EXPECT_EQ(static_cast<int>(machine.chiplets.size()), expected("CHIPLETS"));
  EXPECT_EQ(static_cast<int>(machine.cores.size()), expected("CORES"));
  EXPECT_EQ(machine.allowed_cpus, expected_cpus());
}

TEST(Topology, TheToolPrintsTheSame) {
  const auto json = nlohmann::json::parse(output_of("charm topo --json"), nullptr, false);
  ASSERT_TRUE(json.is_object());
  EXPECT_EQ(static_cast<int>(json["sockets"].size()), expected("SOCKETS"));
  EXPECT_EQ(static_cast<int>(json["nodes"].size()), expected("NODES"));
  EXPECT_EQ(static_cast<int>(json["chiplets"].size()), expected("CHIPLETS"));
  EXPECT_EQ(static_cast<int>(json["cores"].size()), expected("CORES"));
  EXPECT_EQ(json["allowed_cpus"].get<std::vector<int>>(), expected_cpus().values());
}

TEST(Topology, DistanceGrowsWithWhatLiesBetween) {
  const auto machine = charm::Machine::discover();
  std::map<int, double> nearest, farthest;  // by how much two cores share
  for (const auto& a : machine.cores) {
    for (const auto& b : machine.cores) {
      if (a.id == b.id) continue;
      const int apart = a.chiplet == b.chiplet ? 1 : a.node == b.node ? 2 : a.socket == b.socket ? 3 : 4;
      const double d = machine.distance(a.id, b.id);
      nearest[apart] = nearest.contains(apart) ? std::min(nearest[apart], d) : d;
      farthest[apart] = std::max(farthest[apart], d);
    }
  }
  double before = 0;
  for (const auto& [apart, d] : nearest) {
    EXPECT_GT(d, before) << "kind " << apart;
    before = farthest[apart];
  }
}

class Placement : public testing::TestWithParam<const char*> {};

TEST_P(Placement, WorkersHaveTheAffinityOfTheirCores) {
  const std::string policy = GetParam();
  const auto allowed = expected_cpus();
  const int cores = expected("CORES");
  for (int workers : std::set<int>{1, 2, cores / 2, cores}) {
    charm::Config config;
    config.workers = workers;
    config.policy = policy;
    config.caller_mask = "worker";  // else the caller is bound only after a millisecond
    // Filling one socket before the next would leave the chiplets of the others out.
    if (policy == "distributed") config.sockets = "balance";
    charm::init(config);
    const auto worker_cores = charm::worker_cores();
    ASSERT_EQ(static_cast<int>(worker_cores.size()), workers);
    std::vector<charm::CpuSet> masks(worker_cores.size());
    std::vector<int> on(worker_cores.size(), -1);
    charm::all_do([&](int worker) {
      masks[static_cast<std::size_t>(worker)] = charm::os::allowed_cpus();
      on[static_cast<std::size_t>(worker)] = charm::os::current_cpu();
    });
    std::set<int> cpus, chiplets;
    for (std::size_t w = 0; w < worker_cores.size(); ++w) {
      if (policy == "os") {
        EXPECT_EQ(worker_cores[w].cpu, -1);
        EXPECT_EQ(masks[w], allowed);
        continue;
      }
      EXPECT_EQ(masks[w], charm::CpuSet{worker_cores[w].cpu}) << policy << ", worker " << w << " of " << workers;
      EXPECT_EQ(on[w], worker_cores[w].cpu);
      EXPECT_TRUE(allowed.contains(worker_cores[w].cpu)) << worker_cores[w].cpu;
      cpus.insert(worker_cores[w].cpu);
      chiplets.insert(worker_cores[w].chiplet);
    }
    if (policy != "os") {
      EXPECT_EQ(static_cast<int>(cpus.size()), workers);
    }
    if (policy == "distributed") {
      EXPECT_EQ(static_cast<int>(chiplets.size()), std::min(workers, expected("CHIPLETS")));
    }
    if (policy == "local" && workers == 2) {
      EXPECT_EQ(chiplets.size(), 1U);
    }
    charm::finalize();
  }
}

INSTANTIATE_TEST_SUITE_P(Policies, Placement, testing::Values("local", "distributed", "numa", "os"),
                         [](const auto& info) { return std::string(info.param); });

TEST(Memory, PagesLieOnTheNodeTheyAreBoundTo) {
  const auto machine = charm::Machine::discover();
  for (const auto& node : machine.nodes) {
    charm::os::NodeMemory memory(1 << 20, node.os_index);
    EXPECT_TRUE(memory.bound()) << "node " << node.os_index;
    std::memset(memory.data(), 1, memory.bytes());
    EXPECT_EQ(charm::os::home_of(memory.data()), node.os_index);
    EXPECT_EQ(charm::os::home_of(static_cast<char*>(memory.data()) + memory.bytes() - 1), node.os_index);
  }
}

TEST(Memory, PagesOfAWorkerThatIsBoundLieOnItsNode) {
  charm::Config config;
  config.workers = expected("CORES");
  config.policy = "distributed";
  charm::init(config);
  const auto worker_cores = charm::worker_cores();
  const auto machine = charm::machine();
  std::vector<int> nodes(worker_cores.size(), -1);
  charm::all_do([&](int worker) {
    charm::os::NodeMemory memory(1 << 16);
    std::memset(memory.data(), 1, memory.bytes());
    nodes[static_cast<std::size_t>(worker)] = charm::os::home_of(memory.data());
  });
  for (std::size_t w = 0; w < worker_cores.size(); ++w) {
    EXPECT_EQ(nodes[w], machine.nodes[static_cast<std::size_t>(worker_cores[w].node)].os_index) << "worker " << w;
  }
  charm::finalize();
}

TEST(Memory, ArraysLieWhereTheyWereAskedFor) {
  charm::Config config;
  config.workers = expected("CORES");
  config.policy = "distributed";
  charm::init(config);
  const auto& machine = charm::machine();
  constexpr std::size_t page = 4096 / sizeof(long);
  for (const auto& node : machine.nodes) {
    charm::near<long> array(64 * page, charm::on_node{node.id});
    for (std::size_t i = 0; i < array.size(); i += page) array[i] = 1;
    const auto place = charm::where(&array[7 * page]);
    EXPECT_TRUE(place.known) << place.reason;
    EXPECT_EQ(place.node, node.id);
  }
  charm::interleaved<long> spread(64 * page);
  std::set<int> nodes;
  for (std::size_t i = 0; i < spread.size(); i += page) {
    spread[i] = 1;
    nodes.insert(charm::where(&spread[i]).node);
  }
  EXPECT_EQ(static_cast<int>(nodes.size()), expected("CPU_NODES"));
  charm::finalize();
}

TEST(Calls, GoToTheNodeWhereAnAddressLives) {
  charm::Config config;
  config.workers = expected("CORES");
  config.policy = "distributed";
  charm::init(config);
  const auto worker_cores = charm::worker_cores();
  for (const auto& node : charm::machine().nodes) {
    if (node.cpus.empty()) continue;
    charm::os::NodeMemory memory(1 << 16, node.os_index);
    std::memset(memory.data(), 1, memory.bytes());
    const int worker = charm::call(charm::on_address{memory.data()}, [] { return charm::worker_id(); });
    EXPECT_EQ(worker_cores.at(static_cast<std::size_t>(worker)).node, node.id);
  }
  charm::finalize();
}

TEST(Stealing, AThiefLooksOnItsOwnChipletFirstAndSeldomFarAway) {
  using namespace charm::stealing;
  const auto machine = charm::Machine::discover();
  std::vector<int> chiplets;
  for (const auto& chiplet : machine.chiplets) chiplets.push_back(chiplet.id);
  const DistanceTable table(machine, chiplets);
  WorkFlags flags(table.groups(), static_cast<int>(machine.cores.size()));
  std::vector<Place> places;
  for (const auto& core : machine.cores) {
    for (int g = 0; g < table.groups(); ++g) {
      if (table.chiplet(g) == core.chiplet) places.push_back(flags.join(g));
    }
    flags.set(Flag::work, places.back());
  }
  std::mt19937_64 random(7);
  for (const Place thief : places) {
    std::vector<int> asked(static_cast<std::size_t>(table.groups()));
    for (int search = 0; search < 400; ++search) {
      VictimSelection at(table, policies().back(), thief);
      bool away = false;
      while (const Place victim = at.next(flags, random())) {
        EXPECT_FALSE(victim == thief);
        EXPECT_FALSE(away && victim.group == thief.group) << "back on the own chiplet after others";
        away = victim.group != thief.group;
        ++asked[static_cast<std::size_t>(victim.group)];
      }
    }
    const auto order = table.by_distance(thief.group);
    if (order.empty()) continue;
    const int nearest = order.front();
    const int farthest = order.back();
    if (flags.count(Flag::member, thief.group) > 1) {
      EXPECT_GT(asked[static_cast<std::size_t>(thief.group)], asked[static_cast<std::size_t>(nearest)]);
    }
    if (table.weight(thief.group, nearest) > 1.5F * table.weight(thief.group, farthest)) {
      EXPECT_GT(asked[static_cast<std::size_t>(nearest)], asked[static_cast<std::size_t>(farthest)]);
    }
  }
}

TEST(Runtime, ALoopOverAllWorkersGivesTheRightSum) {
  charm::init();
  std::atomic<long> sum{0};
  charm::parallel_for(0, 10000, [&](long i) { sum += i; });
  EXPECT_EQ(sum.load(), 49995000);
  const auto total = charm::stats().total();
  EXPECT_GT(total.jobs, 0U);
  charm::finalize();
}

charm::CpuSet mask_of(int process) {
  const std::string text =
      output_of("sed -n 's/^Cpus_allowed_list:[[:space:]]*//p' /proc/" + std::to_string(process) + "/status");
  return charm::CpuSet::try_parse(text).value_or(charm::CpuSet());
}

/// A program under the command: a shell that computes, or sleeps.
class Program {
 public:
  Program(const std::string& options, const std::string& script, const std::string& name) : name_("/tmp/" + name) {
    const std::string line = "charm run -q " + options + " -- sh -c 'echo $$ > " + name_ + ".new; mv " + name_ +
                             ".new " + name_ + "; " + script + "' & echo $! > " + name_ + ".charm";
    std::system(line.c_str());
    for (int i = 0; i < 6000 && pid() == 0; ++i) wait_a_moment();
  }
  ~Program() {
    std::system(("kill -9 " + std::to_string(charm()) + " " + std::to_string(pid()) + " 2>/dev/null; rm -f " + name_ +
                 " " + name_ + ".charm")
                    .c_str());
  }
  static void wait_a_moment() { std::this_thread::sleep_for(std::chrono::milliseconds(50)); }
  [[nodiscard]] int pid() const { return number(name_); }
  [[nodiscard]] int charm() const { return number(name_ + ".charm"); }
  [[nodiscard]] charm::CpuSet mask() const { return mask_of(pid()); }

 private:
  static int number(const std::string& file) {
    int value = 0;
    std::ifstream(file) >> value;
    return value;
  }
  std::string name_;
};

template <class F>
bool eventually(F&& holds) {
  for (int i = 0; i < 6000; ++i) {
    if (holds()) return true;
    Program::wait_a_moment();
  }
  return false;
}

constexpr const char* computes = "while :; do :; done";

TEST(Run, TwoProcessesThatComputeRunOnCoresOfThePolicy) {
  const auto machine = charm::Machine::discover();
  if (machine.cores.size() < 2) GTEST_SKIP() << "one core";
  for (const std::string policy : {"local", "distributed", "numa"}) {
    const std::string child = "/tmp/" + policy + ".child";
    Program program("--children --share off --no-avoid --policy " + policy,
                    "(while :; do :; done) & echo $! > " + child + "; while :; do :; done", policy);
    ASSERT_GT(program.pid(), 0);
    EXPECT_TRUE(eventually([&] {
      int number = 0;
      std::ifstream(child) >> number;
      const auto one = program.mask();
      const auto two = mask_of(number);
      return one.size() == 1 && two.size() == 1 && one != two && (one | two).contains(machine.cores.front().cpu);
    })) << policy;
    std::system(("kill -9 $(cat " + child + "); rm -f " + child).c_str());
  }
  Program free("--share off --policy os", computes, "os");
  EXPECT_EQ(free.mask(), expected_cpus());
}

/// Two processes fit on a chiplet, and hold so little memory that they stand there if nothing tells how fast they are.
TEST(Run, OtherLevelsAreTriedWhereTheProgramTellsWhatItHasDone) {
  const auto machine = charm::Machine::discover();
  if (machine.chiplets.size() < 2 || machine.chiplets.front().cores.size() < 2) GTEST_SKIP() << "no choice of levels";
  const auto chiplet_of = [&](const charm::CpuSet& mask) {
    return mask.size() == 1 ? machine.core_of_cpu(mask.front())->chiplet : -1;
  };
  for (const auto& [option, tell] :
       {std::pair{"--metric \"cat /tmp/told\"", "> /tmp/told"}, {"--progress-fd 9", ">&9"}}) {
    SCOPED_TRACE(option);
    const std::string child = "/tmp/telling.child";
    Program program(std::string("--children --share off --no-avoid --policy adaptive ") + option,
                    "(while :; do :; done) & echo $! > " + child +
                        "; n=0; while :; do n=$((n + 1)); [ $((n % 500)) -gt 0 ] || echo $n " + tell + "; done",
                    "telling");
    ASSERT_GT(program.pid(), 0);
    int number = 0;
    ASSERT_TRUE(eventually([&] { return static_cast<bool>(std::ifstream(child) >> number); }));
    EXPECT_TRUE(eventually([&] {
      const int one = chiplet_of(program.mask()), two = chiplet_of(mask_of(number));
      return one >= 0 && two >= 0 && one != two;
    }));
    std::system(("kill -9 $(cat " + child + "); rm -f " + child + " /tmp/told").c_str());
  }
}

TEST(Run, ChipletsAndCpusAreKept) {
  const auto machine = charm::Machine::discover();
  Program program("--share off --chiplets 1 --smt", "sleep 1000", "chiplet");
  const auto mask = program.mask();
  ASSERT_FALSE(mask.empty());
  std::set<int> chiplets;
  for (const int cpu : mask) chiplets.insert(machine.core_of_cpu(cpu)->chiplet);
  EXPECT_EQ(chiplets.size(), 1U);
  Program one("--share off --cpus " + std::to_string(machine.allowed_cpus.back()), "sleep 1000", "cpu");
  EXPECT_EQ(one.mask(), charm::CpuSet{machine.allowed_cpus.back()});
}

TEST(Run, TwoProgramsDoNotMeetAndADeadOnesCoresAreFree) {
  // Both masks are those of one moment, if the first has not changed while the second was read.
  const auto apart = [](const Program& a, const Program& b) {
    const auto one = a.mask();
    const auto two = b.mask();
    return !one.empty() && !two.empty() && !one.intersects(two) && a.mask() == one;
  };
  Program first("--share /tmp/shares --policy local", computes, "first");
  auto second = std::make_unique<Program>("--share /tmp/shares --policy local", computes, "second");
  EXPECT_TRUE(eventually([&] { return apart(first, *second); }));
  // From then on, whatever the shares become: both want one core only. A program that comes seconds late to its look at
  // the leases, as on a busy host, is taken for dead and joins again; shares_test.cpp knows who was late and allows
  // nobody else to be with another.
  for (int i = 0; i < 100; ++i) {
    EXPECT_TRUE(eventually([&] { return apart(first, *second); })) << "after " << i;
    Program::wait_a_moment();
  }
  kill(second->charm(), SIGKILL);
  EXPECT_TRUE(eventually([&] { return second->mask() == expected_cpus(); })) << "its affinity restorer lets it loose";
  second.reset();
  Program third("--share /tmp/shares --policy local", computes, "third");
  EXPECT_TRUE(eventually([&] { return apart(first, third); }));
}

}  // namespace
