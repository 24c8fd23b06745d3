// The simulator's model of cache-aware scheduling beside the kernel itself: threads are held on both caches in turn,
// released, and watched. Each situation is repeated, and every window's shape is printed, so that a page can quote it.
#include <charm/machine.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/files/system_files.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/thread_list.hpp"
#include "tools/os/system_placement.hpp"
#include "tools/sim/kernel_gathering.hpp"
#include "vm/neighbours.hpp"

namespace {

using charm::sim::GatheringKnobs;
using charm::sim::KernelGathering;
using charm::test::for_ever_ms;
using charm::test::Neighbour;
using namespace std::chrono_literals;

constexpr const char* tolerance_file = "/sys/kernel/debug/sched/llc_balancing/aggr_tolerance";
constexpr int repetitions = 3, windows = 8, samples = 25;

struct Situation {
  const char* name;
  std::vector<int> threads;  // of each process
  int tolerance = 1;
  int ends = 0;   // so many threads of the first process, all but two, end after half of the windows
  int agree = 2;  // repetitions that have to end as the model does; 0: none, it is only told
};

const std::array situations{
    Situation{"2 busy", {2}},
    Situation{"3 busy", {3}},
    Situation{"4 busy", {4}, 1, 0, 0},
    Situation{"5 busy", {5}},
    Situation{"8 busy", {8}, 1, 0, 0},
    Situation{"12 busy, more than cpus", {12}, 1, 0, 0},
    Situation{"2 busy, tolerance 0", {2}, 0},
    Situation{"3 busy, tolerance 100", {3}, 100},
    Situation{"6 busy, tolerance 100", {6}, 100},
    Situation{"2 and 2 busy", {2, 2}, 1, 0, 0},
    Situation{"3 and 3 busy", {3, 3}},
    Situation{"6 busy, of which 4 end", {6}, 1, 4},
};

using Shape = std::vector<int>;

class KernelShapes : public testing::Test {
 protected:
  void SetUp() override {
    machine_ = charm::Machine::discover();
    if (!charm::os::read_system_placement().gathers()) GTEST_SKIP() << "this kernel does not gather threads";
    if (machine_.chiplets.size() != 2 || machine_.nodes.size() != 1) GTEST_SKIP() << "for two caches on one node";
  }
  void TearDown() override { std::ofstream(tolerance_file) << 1; }

  [[nodiscard]] int cpus_of_cache() const { return static_cast<int>(machine_.chiplets.front().cores.size()); }

  /// Threads that compute, the main thread of the program among them.
  static std::vector<int> threads_of(const Neighbour& program) {
    return charm::os::numbered_entries("/proc/" + std::to_string(program.program()) + "/task/");
  }
  [[nodiscard]] charm::CpuSet cache(int number) const {
    charm::CpuSet cpus;
    for (const int core : machine_.chiplets[static_cast<std::size_t>(number)].cores)
      cpus.insert(machine_.cores[static_cast<std::size_t>(core)].cpu);
    return cpus;
  }
  /// Threads on the cache that has more of them, and on the other, in the middle of a window; and its letters.
  std::pair<Shape, std::string> window(const Neighbour& program) const {
    std::map<int, int> on_second;  // by thread
    for (int i = 0; i < samples; ++i) {
      for (const auto& thread : charm::os::threads_of(program.program())) {
        const auto* core = machine_.core_of_cpu(thread.cpu);
        on_second[thread.tid] += core != nullptr && core->chiplet == 1 ? 1 : 0;
      }
      std::this_thread::sleep_for(20ms);
    }
    Shape shape(2, 0);
    std::string letters;
    for (const auto& [thread, times] : on_second) {
      ++shape[2 * times > samples ? 1 : 0];
      letters += 10 * times >= 9 * samples ? '1' : 10 * times <= samples ? '0' : 'm';
    }
    std::sort(shape.rbegin(), shape.rend());
    return {shape, letters};
  }

  /// The shape of each process at the end.
  std::vector<Shape> modelled(const Situation& situation) const {
    GatheringKnobs knobs;
    knobs.aggr_tolerance = situation.tolerance;
    KernelGathering kernel({cpus_of_cache(), cpus_of_cache()}, {16e6, 16e6}, 1, knobs);
    // One program after the other begins and is free for a while; then all are held.
    std::vector<std::size_t> all;
    for (const int threads : situation.threads) {
      const int process = kernel.add_process();
      const std::vector<int> others = process == 0 ? Shape{0, 0} : kernel.shape(process - 1);
      for (int t = 0; t < threads; ++t) all.push_back(kernel.add_thread(process, others[0] > others[1] ? 1 : 0));
      kernel.steps(50);
    }
    std::size_t next = 0;
    for (const int threads : situation.threads) {
      for (int t = 0; t < threads; ++t) kernel.hold_thread(all[next++], t % 2);
    }
    const std::vector<std::size_t> first(all.begin(), all.begin() + situation.threads.front());
    kernel.steps(50);
    for (const std::size_t thread : all) kernel.release_thread(thread);
    kernel.steps(200);
    for (int i = 0; i < situation.ends; ++i) kernel.end_thread(first[first.size() - 1 - static_cast<std::size_t>(i)]);
    kernel.steps(200);
    std::vector<Shape> shapes;
    for (int process = 0; process < static_cast<int>(situation.threads.size()); ++process) {
      shapes.push_back(kernel.shape(process));
      std::sort(shapes.back().rbegin(), shapes.back().rend());
    }
    return shapes;
  }

  std::vector<Shape> seen(const Situation& situation) const {
    std::vector<std::unique_ptr<Neighbour>> programs;
    for (std::size_t p = 0; p < situation.threads.size(); ++p) {
      programs.push_back(std::make_unique<Neighbour>(Neighbour::Kind::plain,
                                                     Neighbour::Does{situation.threads[p], for_ever_ms, 0}, "off",
                                                     "/tmp/shape" + std::to_string(p)));
      EXPECT_TRUE(charm::test::in_the_end([&] { return programs.back()->program() != 0; }));
    }
    const auto each = [&](const auto& does) {
      for (const auto& program : programs) {
        int at = 0;
        for (const int thread : threads_of(*program)) does(thread, at++);
      }
    };
    each([&](int thread, int at) { charm::os::bind_thread(thread, cache(at % 2)); });
    std::this_thread::sleep_for(500ms);
    each([&](int thread, int) { charm::os::bind_thread(thread, machine_.allowed_cpus); });
    std::vector<Shape> shapes;
    std::vector<std::string> texts(programs.size());
    for (int w = 0; w < windows; ++w) {
      if (w == windows / 2 && situation.ends > 0) kill(programs.front()->program(), SIGUSR1);
      shapes.clear();
      for (std::size_t p = 0; p < programs.size(); ++p) {
        const auto [shape, letters] = window(*programs[p]);
        shapes.push_back(shape);
        texts[p] += " " + letters;
      }
    }
    for (const std::string& text : texts) std::printf("shape: %s:%s\n", situation.name, text.c_str());
    return shapes;
  }

  charm::Machine machine_;
};

TEST_F(KernelShapes, AreThoseOfTheModel) {
  for (const Situation& situation : situations) {
    std::ofstream(tolerance_file) << situation.tolerance << std::flush;
    const auto expected = modelled(situation);
    int same = 0;
    for (int i = 0; i < repetitions; ++i) same += seen(situation) == expected ? 1 : 0;
    std::string text;
    for (const Shape& shape : expected) text += " " + std::to_string(shape[0]) + ":" + std::to_string(shape[1]);
    std::printf("shape: %s: the model says%s, as %d of %d did at the end\n", situation.name, text.c_str(), same,
                repetitions);
    EXPECT_GE(same, situation.agree) << situation.name;
  }
}

}  // namespace
