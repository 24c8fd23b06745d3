// The policy `kernel` of `charm run` on a kernel that gathers the threads of a process on one cache by itself
// (Linux 7.2), and on one that does not.
#include <charm/machine.hpp>

#include <array>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <thread>

#include <gtest/gtest.h>

#include "os/files/system_files.hpp"
#include "os/threads/thread_list.hpp"
#include "tools/attach/gathering.hpp"
#include "tools/os/system_placement.hpp"
#include "vm/neighbours.hpp"

namespace {

using charm::test::for_ever_ms;
using charm::test::in_the_end;
using charm::test::Neighbour;
using namespace std::chrono_literals;

const charm::placement::Standing on_one_chiplet{charm::placement::SocketOrder::fill, 1};

/// The part of a second's samples in which all threads were on one chiplet.
double gathered(int process, const charm::Machine& machine) {
  constexpr int samples = 50;
  int together = 0;
  for (int i = 0; i < samples; ++i) {
    std::map<int, int> chiplets;
    for (const auto& thread : charm::os::threads_of(process)) {
      if (const auto* core = machine.core_of_cpu(thread.cpu)) ++chiplets[core->chiplet];
    }
    together += chiplets.size() == 1 ? 1 : 0;
    std::this_thread::sleep_for(20ms);
  }
  return static_cast<double>(together) / samples;
}

std::unique_ptr<Neighbour> busy_program(int threads) {
  auto program = std::make_unique<Neighbour>(Neighbour::Kind::steered, Neighbour::Does{threads, for_ever_ms, 0}, "off",
                                             "/tmp/busy", "kernel");
  EXPECT_TRUE(in_the_end([&] { return program->program() != 0; }));
  return program;
}

TEST(Kernel, IsToldToGatherOrNot) {
  const auto placement = charm::os::read_system_placement();
  const std::string release = charm::os::first_line("/proc/sys/kernel/osrelease").value_or("");
  EXPECT_EQ(placement.gathers(), std::atof(release.c_str()) >= 7.2) << release << ": " << placement.cache_aware;
}

TEST(Kernel, UnderItsPolicyNoThreadIsBoundToASingleCpu) {
  const auto machine = charm::Machine::discover();
  const bool gathers = charm::os::read_system_placement().gathers();
  for (const int threads : {2, 3, 5}) {
    const auto program = busy_program(threads);
    const bool left = gathers && charm::attach::kernel_would_gather(machine, threads, on_one_chiplet);
    // On one chiplet, or where the kernel does as much, on all: in the end, and from the first moment on no cpu alone.
    const auto as_expected = [&] {
      for (const auto& [thread, mask] : charm::test::masks_of(*program)) {
        if (mask.size() < 2) return false;
        if (left != (mask == machine.allowed_cpus)) return false;
      }
      return true;
    };
    bool single = false;
    int holds = 0;
    EXPECT_TRUE(in_the_end([&] {
      for (const auto& [thread, mask] : charm::test::masks_of(*program)) single = single || mask.size() == 1;
      holds = as_expected() ? holds + 1 : 0;
      return holds >= 30;  // of three seconds: not on its way to something else
    })) << threads
        << " threads, " << (left ? "left to the kernel" : "kept on chiplets");
    EXPECT_FALSE(single) << threads << " threads";
  }
}

TEST(Kernel, AProcessThatIsLeftToItIsGatheredAndStays) {
  const auto machine = charm::Machine::discover();
  if (!charm::os::read_system_placement().gathers()) GTEST_SKIP() << "this kernel does not gather threads";
  if (!charm::attach::kernel_would_gather(machine, 2, on_one_chiplet))
    GTEST_SKIP() << "nothing is left to the kernel here";
  const auto program = busy_program(2);
  EXPECT_TRUE(in_the_end([&] { return gathered(program->program(), machine) >= .9; }));
  double least = 1;
  for (int second = 0; second < 5; ++second) least = std::min(least, gathered(program->program(), machine));
  EXPECT_GE(least, .5) << "of a second";
}

/// Chiplets on which its threads may run while they are bound to cores.
std::set<int> chiplets_of(const Neighbour& program, const charm::Machine& machine) {
  std::set<int> chiplets;
  for (const auto& [thread, mask] : charm::test::masks_of(program)) {
    for (const int cpu : mask) chiplets.insert(machine.core_of_cpu(cpu)->chiplet);
  }
  return chiplets;
}

TEST(Kernel, UnderLocalTwoProgramsDoNotShareACacheWhileAnotherIsFree) {
  const auto machine = charm::Machine::discover();
  if (machine.chiplets.size() < 2) GTEST_SKIP() << "one chiplet";
  constexpr int threads = 2;
  std::vector<std::unique_ptr<Neighbour>> programs;
  for (const char* file : {"/tmp/one", "/tmp/two"})
    programs.push_back(std::make_unique<Neighbour>(Neighbour::Kind::steered, Neighbour::Does{threads, for_ever_ms, 0},
                                                   "/tmp/caches", file, "local"));
  int apart = 0, looks = 0;
  EXPECT_TRUE(in_the_end([&] {
    const auto one = chiplets_of(*programs[0], machine), two = chiplets_of(*programs[1], machine);
    const bool met = std::any_of(one.begin(), one.end(), [&](int chiplet) { return two.contains(chiplet); });
    apart = one.size() == 1 && two.size() == 1 && !met ? apart + 1 : 0;
    return ++looks, apart >= 50;  // of five seconds, so that nobody is on the way elsewhere
  })) << "after "
      << looks << " looks";
  std::filesystem::remove("/tmp/caches");
}

}  // namespace
