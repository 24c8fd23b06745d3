// A program under the malloc does not take its own traffic for that of others: the division of a reading, programs and
// busy cores in a made-up /proc, and the sampler in a closed loop on a modelled machine, alone and beside a recording.
#include "tools/memory_traffic/own_flow.hpp"

#include <algorithm>
#include <memory>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "memory_traffic/machines.hpp"
#include "memory_traffic/modelled_machine.hpp"
#include "tools/memory_traffic/sampler.hpp"
#include "tools/memory_traffic/source.hpp"
#include "tools/memory_traffic/traffic_recording.hpp"

namespace charm::memory_traffic::test {
namespace {

Machine two_by_two() { return Machine::from("pack:2 numa:2 l3:1 core:4 pu:1"); }

Model kunpeng_of_cores() {
  Model model = kunpeng(30);
  model.core_gb_per_s = 5;
  return model;
}

memory::WeightPage all_on_the_nearest(const Model& model) {
  return Sampler(model, two_by_two(), policy("local")).page();
}

/// A program that six cores of node 0 run, which read 30 of the 40 GB/s of the nearest memory, and which allocates anew
/// all the time; beside it the cores and the traffic of others on node 0's memory.
struct Loop {
  Model model = kunpeng_of_cores();
  bool knows_own = true;
  double least_near = 1;  ///< of the program's pages on node 0, in any step
  double far = 0;         ///< on the other socket, in the last step
  double near = 1;        ///< on node 0, in the last step
  Sampler sampler{model, two_by_two(), policy("exact"), options()};

  static SamplerOptions options() {
    SamplerOptions with;
    with.demand_gb_per_s = 30;
    return with;
  }

  [[nodiscard]] Weights layout() const {
    const auto parts = memory::weights_of(sampler.page(), 0);
    return normalised(Weights(parts.begin(), parts.end()));
  }

  template <class Others>
  void run(int steps, Others others) {
    for (int i = 0; i < steps; ++i) {
      const double used = others(i);
      std::vector<Program> all = {{sccl0, 30, layout()}, {sccl0, used, {1, 0, 0, 0}}};
      if (used == 0) all.pop_back();
      share_fairly(model, all);
      Bandwidths reading = no_traffic(model);
      for (const Program& each : all) reading += flow_of(model, each, each.gb_per_s);
      const BusyCores busy{{6, 0, 0, 0}, {used / 5, 0, 0, 0}};
      sampler.add(reading, knows_own ? own_flow(model, sampler.page(), reading, busy) : no_traffic(model));
      near = layout()[0];
      far = layout()[2] + layout()[3];
      least_near = std::min(least_near, near);
    }
  }
};

double no_load(int /*step*/) { return 0; }

}  // namespace

TEST(OwnFlow, AloneEverythingIsOwnAndBesideOthersAPart) {
  const Model model = kunpeng_of_cores();
  const memory::WeightPage page = all_on_the_nearest(model);
  Bandwidths reading = no_traffic(model);
  reading.memory[0] = 24;
  EXPECT_NEAR(own_flow(model, page, reading, {{6, 0, 0, 0}, {0, 0, 0, 0}}).memory[0], 24, 1e-9);
  EXPECT_NEAR(own_flow(model, page, reading, {{6, 0, 0, 0}, {6, 0, 0, 0}}).memory[0], 12, 1e-9);
  EXPECT_EQ(own_flow(model, page, reading, {{0, 0, 0, 0}, {6, 0, 0, 0}}).memory[0], 0);
}

TEST(OwnFlow, NotMoreThanTheBusyCoresCanRead) {
  const Model model = kunpeng_of_cores();
  const memory::WeightPage page = all_on_the_nearest(model);
  Bandwidths reading = no_traffic(model);
  reading.memory[0] = 40;
  EXPECT_LE(own_flow(model, page, reading, {{1, 0, 0, 0}, {0, 0, 0, 0}}).memory[0], 5);
  // Of what others read on the other socket, whose cores are busy, next to nothing is own.
  reading.memory[3] = 40;
  EXPECT_LT(own_flow(model, page, reading, {{4, 0, 0, 0}, {0, 0, 0, 4}}).memory[3], 2);
}

TEST(OwnFlow, AProgramDoesNotRunAwayFromItsOwnTraffic) {
  Loop blind;
  blind.knows_own = false;
  blind.run(100, no_load);
  EXPECT_LT(blind.least_near, 0.9);  // so the model can show it
  Loop knowing;
  knowing.run(100, no_load);
  EXPECT_GT(knowing.least_near, 0.99);
}

TEST(OwnFlow, BesideARecordedProgramItLeavesThatOnesTrafficAlone) {
  const Machine machine = two_by_two();
  for (const bool knows_own : {true, false}) {
    Loop loop;
    loop.knows_own = knows_own;
    const charm::test::Folder folder;
    Bandwidths database = no_traffic(loop.model);
    database.memory[0] = 30;
    std::string text = traffic_heading(loop.model);
    for (int i = 1; i <= 10; ++i) text += traffic_line({i * 10.0, database});
    const auto recording = open_source({&loop.model, &machine, folder.root(), nullptr, {}, {}},
                                       "replay:" + folder.file("database.csv", text));
    EXPECT_FALSE(recording->is_live());
    loop.run(100, [&](int step) { return recording->read(step).memory[0]; });
    if (knows_own) {
      EXPECT_NEAR(loop.near, 1.0 / 3, 0.2);  // the 10 GB/s that are left there, and 20 from the other die
      EXPECT_LT(loop.far, 0.05);
      loop.run(60, no_load);
      EXPECT_GT(loop.near, 0.95);
    } else {
      EXPECT_GT(loop.far, 0.1);  // it runs to the other socket, away from itself
    }
  }
}

TEST(OwnPrograms, AreFoundInProcWithTheirBusyCores) {
  const Model model = kunpeng_of_cores();
  const memory::WeightPage page = all_on_the_nearest(model);
  const charm::test::Folder folder;
  // cpus 0 to 3 are node 0's, 4 to 7 node 1's.
  const auto at_time = [&](int ticks_of_thread, int busy_of_cpus) {
    std::string stat;
    for (int cpu = 0; cpu < 16; ++cpu) {
      const int busy = cpu < 6 ? busy_of_cpus : 0;
      stat += "cpu" + std::to_string(cpu) + " " + std::to_string(busy) + " 0 0 " +
              std::to_string(1000 + busy_of_cpus - busy) + " 0 0 0 0\n";
    }
    folder.file("proc/stat", stat);
    for (const auto& [thread, cpu] : {std::pair{42, 1}, std::pair{43, 5}}) {
      std::string fields = std::to_string(thread) + " (prog ram) R";
      for (int field = 4; field <= 39; ++field)
        fields += " " + std::to_string(field == 14 ? ticks_of_thread : field == 39 ? cpu : 0);
      folder.line("proc/42/task/" + std::to_string(thread) + "/stat", fields);
      folder.line("proc/42/stat", fields);
    }
  };
  folder.file("proc/42/environ", std::string("HOME=/\0LD_PRELOAD=/lib/libcharm_malloc.so:/lib/other.so\0", 56));
  folder.file("proc/50/environ", std::string("NOT_LD_PRELOAD=/lib/libcharm_malloc.so\0LD_PRELOAD=x\0", 52));
  // One that has overwritten its variables with a name, and one that has none of the library.
  folder.file("proc/60/environ", std::string("redis-server *:6379\0\0\0\0", 23));
  folder.file("proc/60/maps", "7f00-7f01 r-xp 00000000 08:01 9 /lib/libcharm_malloc.so\n");
  folder.file("proc/61/environ", std::string("nginx: worker\0\0\0\0", 17));
  folder.file("proc/61/maps", "7f00-7f01 r-xp 00000000 08:01 9 /lib/libc.so.6\n");
  OwnPrograms programs(model, folder.root());
  at_time(100, 0);
  EXPECT_EQ(programs.read(10, page).ours, std::vector<double>(4, 0));
  EXPECT_EQ(programs.processes(), (std::vector<int>{42, 60}));
  at_time(300, 200);  // two seconds: both threads have worked all the time, and so have six cpus
  EXPECT_EQ(programs.read(10.5, page).ours, std::vector<double>(4, 0)) << "not read more often than once a second";
  const BusyCores busy = programs.read(12, page);
  EXPECT_NEAR(busy.ours[0], 1, 0.01);
  EXPECT_NEAR(busy.ours[1], 1, 0.01);
  EXPECT_NEAR(busy.others[0], 3, 0.01);
  EXPECT_NEAR(busy.others[1], 1, 0.01);
  EXPECT_EQ(busy.others[2], 0);
}

}  // namespace charm::memory_traffic::test
