// Programs that come, go, and die, with a clock and processes that are not there: no core is ever held twice, shares
// end up fair, chiplets stay whole. And a few real processes of which one is killed.
#include "lease/lease.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <memory>
#include <rapidcheck.h>
#include <set>
#include <thread>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include "base/folder.hpp"
#include "base/notices.hpp"
#include "placement/machines.hpp"

namespace {

using namespace charm::lease;

/// A machine with programs on it that exist in this test alone.
struct World {
  charm::Machine machine = charm::test::uniform(1, 4, 4);
  std::string path;
  std::int64_t now_ms = 1000000;
  std::set<int> alive;
  int next_pid = 100;
  std::vector<std::string> told;
  charm::CoreCpuSet busy;  // cores that somebody without a lease keeps busy

  struct Program {
    int pid = 0;
    int want = 0;
    std::unique_ptr<Lease> lease;
  };

  Program start(int want, int weight = 100, const charm::Machine* on = nullptr) {
    Program program{next_pid++, want, nullptr};
    alive.insert(program.pid);
    LeaseContext around;
    around.self = {program.pid, 1};
    around.name_space = 1;
    around.now_ms = [this] { return now_ms; };
    around.alive = [this](const charm::os::ProcessIdentity& process) { return alive.contains(process.pid); };
    around.report = [this](const std::string& text) { told.push_back(text); };
    program.lease = std::make_unique<Lease>(path, on == nullptr ? machine : *on, weight, want, around);
    return program;
  }
  /// Killed: nothing is cleaned up.
  void kill(Program& program) {
    alive.erase(program.pid);
    leaked.push_back(std::move(program.lease));
  }
  void look(Program& program) {
    const auto standing = program.lease->look(program.want, busy);
    program.lease->give_back(standing.give_up);
  }
  std::vector<std::unique_ptr<Lease>> leaked;  // of the killed: nobody tidies up after them while the world lasts
};

class Shares : public testing::Test {
 protected:
  Shares() { world.path = path(); }
  [[nodiscard]] std::string path() const { return folder_.path("shares"); }

 private:
  charm::test::Folder folder_;

 protected:
  World world;
};

charm::ChipletSet chiplets_of(const charm::Machine& machine, const charm::CoreCpuSet& cores) {
  charm::ChipletSet chiplets;
  for (const int core : cores) chiplets.insert(machine.core_of_cpu(core)->chiplet);
  return chiplets;
}

TEST_F(Shares, OneAloneHasEverything) {
  auto one = world.start(16);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U);
}

TEST_F(Shares, OneAloneHasEverythingAlsoWhileItIsIdleAndGivesItUpForASecond) {
  auto one = world.start(1);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U);
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U);
  auto two = world.start(16);
  world.look(one);
  world.look(two);
  EXPECT_EQ(one.lease->standing().holds.size(), 1U) << "as it wants no more";
  EXPECT_EQ(two.lease->standing().holds.size(), 15U);
  world.kill(two);
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U);
}

TEST_F(Shares, ASecondGetsHalfInWholeChipletsAndBackWhenItIsIdle) {
  auto one = world.start(16);
  auto two = world.start(16);
  EXPECT_TRUE(two.lease->standing().holds.empty()) << "nothing was free";
  world.look(one);
  world.look(two);
  EXPECT_EQ(one.lease->standing().holds.size(), 8U);
  EXPECT_EQ(two.lease->standing().holds.size(), 8U);
  EXPECT_EQ(chiplets_of(world.machine, one.lease->standing().holds).size(), 2U);
  EXPECT_EQ(chiplets_of(world.machine, two.lease->standing().holds).size(), 2U);

  two.want = 1;
  world.look(two);
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size(), 15U);
  EXPECT_EQ(two.lease->standing().holds.size(), 1U);
}

TEST_F(Shares, WhatADeadProgramHeldIsFreeForWhoeverLooksNext) {
  auto one = world.start(16);
  auto two = world.start(16);
  world.look(one);
  world.look(two);
  world.kill(one);
  world.look(two);
  EXPECT_EQ(two.lease->standing().holds.size(), 16U);
}

TEST_F(Shares, OneThatIsStoppedLosesItsCoresAfterTwoSecondsAndComesBackByItself) {
  auto one = world.start(16);
  auto two = world.start(16);
  world.now_ms += patience_ms / 2;
  world.look(two);
  EXPECT_TRUE(two.lease->standing().holds.empty());
  world.now_ms += patience_ms;
  world.look(two);
  EXPECT_EQ(two.lease->standing().holds.size(), 16U);
  world.look(one);
  world.look(two);
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size(), 8U);
}

TEST_F(Shares, WhatAnotherIsShortOfIsGivenUpBeforeWhatIsBusy) {
  charm::Machine last_chiplet = world.machine;
  std::erase_if(last_chiplet.cores, [](const charm::Core& core) { return core.cpu < 12; });
  auto one = world.start(16);
  auto two = world.start(4, 100, &last_chiplet);
  world.busy = {0, 1, 2, 3};
  const auto standing = one.lease->look(16, world.busy);
  EXPECT_EQ(standing.give_up, (charm::CoreCpuSet{12, 13, 14, 15}));
  EXPECT_EQ(standing.keeps().size(), 12U);
  EXPECT_EQ(standing.due, 12);
}

/// It takes the other core before it gives the first one away.
TEST_F(Shares, OneThatMayUseAnotherCoreMakesRoomForOneThatMayNot) {
  const charm::Machine two_cores = charm::test::uniform(1, 1, 2);
  charm::Machine first_core = two_cores;
  first_core.cores.pop_back();
  auto wide = world.start(1, 100, &two_cores);
  auto keeper = world.start(1, 100, &two_cores);
  world.look(wide);
  world.look(keeper);
  ASSERT_EQ(wide.lease->standing().holds, charm::CoreCpuSet{0});
  world.kill(keeper);
  auto narrow = world.start(1, 100, &first_core);
  ASSERT_TRUE(narrow.lease->standing().holds.empty());
  const auto standing = wide.lease->look(1);
  EXPECT_EQ(standing.give_up, charm::CoreCpuSet{0});
  EXPECT_EQ(standing.keeps(), charm::CoreCpuSet{1});
  wide.lease->give_back(standing.give_up);
  world.look(narrow);
  EXPECT_EQ(narrow.lease->standing().holds, charm::CoreCpuSet{0});
}

TEST_F(Shares, OneForWhomThereIsNoRoomGoesWithoutAndSaysSo) {
  std::vector<World::Program> all;
  for (std::size_t i = 0; i < most_entries; ++i) all.push_back(world.start(1));
  EXPECT_TRUE(world.told.empty());
  auto last = world.start(1);
  EXPECT_EQ(world.told, std::vector<std::string>{"the table of shares is full (64 holders); this one goes without"});
  EXPECT_TRUE(last.lease->standing().holds.empty());
  EXPECT_EQ(last.lease->standing().holders, 64);
  world.kill(all.back());
  world.look(last);
  EXPECT_EQ(last.lease->standing().holders, 64) << "now one of them";
  EXPECT_EQ(world.told.size(), 1U);
}

/// Cpus beyond those of the table.
TEST_F(Shares, OneOfWhoseCoresNoneFitsIntoTheTableDoesNotSpoilIt) {
  charm::Machine beyond = charm::test::uniform(1, 1, 1);
  beyond.cores[0].cpu = most_cpus;
  beyond.cores[0].siblings = {most_cpus};
  auto one = world.start(16);
  auto other = world.start(1, 100, &beyond);
  EXPECT_TRUE(other.lease->standing().holds.empty());
  world.told.clear();
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U);
  EXPECT_TRUE(world.told.empty()) << world.told.front();
}

TEST_F(Shares, OneThatComesBackHasAnotherNumber) {
  World world;
  world.path = path();
  auto one = world.start(1);
  auto two = world.start(1);
  const auto number = [&] {
    std::ifstream file(path(), std::ios::binary);
    for (const Entry& entry : decode({std::istreambuf_iterator<char>(file), {}}).table.entries) {
      if (entry.pid == one.pid) return entry.number;
    }
    return std::uint64_t{0};
  };
  const auto first = number();
  world.look(one);
  EXPECT_EQ(number(), first);
  world.now_ms += patience_ms + 1;
  world.look(two);
  EXPECT_EQ(number(), 0U);
  world.look(one);
  EXPECT_GT(number(), first);
}

TEST_F(Shares, BusyCoresAreTakenLastGivenUpFirstAndExchangedOneByOne) {
  World world;
  world.path = path();
  auto none = world.start(0);  // alone, the other would have all
  auto one = world.start(3);
  world.look(none);
  world.look(one);
  ASSERT_EQ(one.lease->standing().holds, (charm::CoreCpuSet{0, 1, 2}));
  world.busy = {0, 1};
  world.look(one);
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds, (charm::CoreCpuSet{2, 3, 4}));
  world.busy = {3};
  one.want = 2;
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds, (charm::CoreCpuSet{2, 4}));
  one.want = 16;
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U) << "better than none";
  world.look(one);
  EXPECT_TRUE(one.lease->standing().give_up.empty()) << "nothing quieter is free";
}

/// Who lacks cores, or has some to give up, looks again soon.
TEST_F(Shares, WhoWaitsForSomethingLooksOftener) {
  auto one = world.start(16);
  EXPECT_EQ(one.lease->pause(), look_seconds);
  auto two = world.start(16);
  EXPECT_EQ(two.lease->pause(), short_look_seconds) << "it has none";
  (void)one.lease->look(16);
  EXPECT_EQ(one.lease->pause(), short_look_seconds) << "it has some to give up";
  one.lease->give_back(one.lease->standing().give_up);
  EXPECT_EQ(one.lease->pause(), look_seconds);
  world.look(two);
  EXPECT_EQ(two.lease->pause(), look_seconds);
}

TEST(LeaseContext, SaysWhatIsWrongAsANotice) {
  testing::internal::CaptureStderr();
  lease_context().report("the table is damaged");
  (void)testing::internal::GetCapturedStderr();
  const auto all = charm::base::notices();
  EXPECT_TRUE(std::find(all.begin(), all.end(), "the table is damaged") != all.end());
}

TEST_F(Shares, ADamagedTableIsBegunAnewAndSaid) {
  auto one = world.start(16);
  {
    std::fstream file(path(), std::ios::in | std::ios::out | std::ios::binary);
    file.seekp(static_cast<std::streamoff>(image_offset(1) + header_bytes()));  // the mark stays
    file << std::string(file_bytes() - image_offset(1) - header_bytes(), 'x');
    file.seekp(static_cast<std::streamoff>(header_bytes()));
    file << std::string(image_offset(1) - header_bytes(), 'x');
  }
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U);
  ASSERT_EQ(world.told.size(), 1U);
  EXPECT_NE(world.told.front().find("damaged"), std::string::npos);
}

std::string text_of(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

TEST_F(Shares, AFileThatIsNoTableIsNeverOverwritten) {
  for (const std::string& text :
       {std::string("a private key\n"), std::string(100, '\0'), std::string(file_bytes(), 'x')}) {
    {
      std::ofstream file(path(), std::ios::binary | std::ios::trunc);
      file << text;
    }
    std::filesystem::permissions(path(), std::filesystem::perms::owner_read | std::filesystem::perms::owner_write);
    EXPECT_THROW(world.start(16), charm::Error);
    EXPECT_EQ(text_of(path()), text);
    std::filesystem::remove(path());
  }
}

TEST_F(Shares, AFileThatTakesTheTablesPlaceIsNeverOverwritten) {
  auto one = world.start(16);
  const std::string text = "somebody's letters\n";
  {
    std::ofstream file(path(), std::ios::binary | std::ios::trunc);
    file << text;
  }
  world.look(one);
  EXPECT_EQ(text_of(path()), text);
  EXPECT_EQ(one.lease->standing().holds.size(), 16U) << "what it held, it holds";
  one.lease.reset();
  EXPECT_EQ(text_of(path()), text);
}

TEST_F(Shares, AFileThatWasRemovedIsMadeAgain) {
  auto one = world.start(16);
  std::filesystem::remove(path());
  auto two = world.start(16);
  world.look(one);
  world.look(two);
  world.look(one);
  EXPECT_EQ(one.lease->standing().holds.size() + two.lease->standing().holds.size(), 16U);
}

TEST_F(Shares, AFileOfOthersOrForOthersOrALinkIsRefused) {
  {
    std::ofstream(path()) << "";
  }
  ::chmod(path().c_str(), 0666);
  EXPECT_THROW(world.start(1), charm::Error);
  std::filesystem::remove(path());
  std::filesystem::create_symlink("/dev/null", path());
  EXPECT_THROW(world.start(1), charm::Error);
  std::filesystem::remove(path());
  std::filesystem::create_directory(path());
  EXPECT_THROW(world.start(1), charm::Error);
}

TEST_F(Shares, AnyOrderOfComingGoingAndDyingKeepsCoresApartAndEndsFair) {
  const std::string file = path();
  EXPECT_TRUE(rc::check([&] {
    std::filesystem::remove(file);
    World world;
    world.path = file;
    world.machine = *charm::test::any_machine();
    std::vector<World::Program> programs;
    auto check = [&] {
      std::set<int> held;
      for (const auto& program : programs) {
        for (const int core : program.lease->standing().holds) RC_ASSERT(held.insert(core).second);
      }
    };
    const int cores = static_cast<int>(world.machine.cores.size());
    for (int step = 0; step < 60; ++step) {
      world.now_ms += *rc::gen::inRange(0, 200);
      const int what = *rc::gen::inRange(0, 10);
      const auto which = programs.empty() ? 0 : *rc::gen::inRange<std::size_t>(0, programs.size());
      if (what == 0 && programs.size() < 6) {
        programs.push_back(world.start(*rc::gen::inRange(0, cores + 2), *rc::gen::inRange(1, 300)));
      } else if (programs.empty()) {
        continue;
      } else if (what == 1) {
        programs.erase(programs.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (what == 2) {
        world.kill(programs[which]);
        programs.erase(programs.begin() + static_cast<std::ptrdiff_t>(which));
      } else if (what == 3) {
        programs[which].want = *rc::gen::inRange(0, cores + 2);
      } else if (what == 4) {
        world.busy.clear();
        for (const auto& core : world.machine.cores) {
          if (*rc::gen::inRange(0, 3) == 0) world.busy.insert(core.cpu);
        }
      } else {
        world.look(programs[which]);
      }
      check();
      // As in life, everybody looks well within the patience of the others.
      if (step % 5 == 4) {
        for (auto& program : programs) world.look(program);
        check();
      }
    }
    const int rounds = 4 + static_cast<int>(world.busy.size());  // one core is exchanged a look
    for (int round = 0; round < rounds; ++round) {
      for (auto& program : programs) world.look(program);
      check();
    }
    int wanted = 0;
    int held = 0;
    for (const auto& program : programs) {
      const auto has = static_cast<int>(program.lease->standing().holds.size());
      RC_ASSERT(has == program.lease->standing().due);
      RC_ASSERT(has <= (programs.size() == 1 ? cores : program.want));
      if (program.want > 0 && static_cast<int>(programs.size()) <= cores) RC_ASSERT(has > 0);  // nobody starves
      wanted += programs.size() == 1 ? cores : program.want;
      held += has;
    }
    RC_ASSERT(held == std::min(wanted, cores));  // nothing lies idle that somebody wants
    // Nor does anybody keep a busy core while a quiet one is free, nor go on exchanging.
    std::set<int> taken;
    for (const auto& program : programs) {
      taken.insert(program.lease->standing().holds.begin(), program.lease->standing().holds.end());
      RC_ASSERT(program.lease->standing().give_up.empty());
    }
    const auto is_busy = [&](int core) { return world.busy.contains(core); };
    const bool quiet_is_free =
        std::any_of(world.machine.cores.begin(), world.machine.cores.end(),
                    [&](const auto& core) { return !taken.contains(core.cpu) && !is_busy(core.cpu); });
    RC_ASSERT(!quiet_is_free || std::none_of(taken.begin(), taken.end(), is_busy));
  }));
}

TEST_F(Shares, ThreeRealProcessesOfWhichOneIsKilled) {
  const auto machine = charm::test::uniform(1, 3, 2);
  std::vector<pid_t> children;
  for (int c = 0; c < 2; ++c) {
    const pid_t child = fork();
    if (child == 0) {
      Lease lease(path(), machine, 100, 6);
      for (;;) {
        lease.give_back(lease.look(6).give_up);
        usleep(20000);
      }
    }
    children.push_back(child);
  }
  Lease mine(path(), machine, 100, 6);
  auto until = [&](std::size_t cores) {
    for (int attempt = 0; attempt < 5000; ++attempt) {
      mine.give_back(mine.look(6).give_up);
      if (mine.standing().holds.size() == cores && mine.standing().due == static_cast<int>(cores)) return true;
      usleep(20000);
    }
    return false;
  };
  EXPECT_TRUE(until(2)) << mine.standing().holds.size();
  kill(children[0], SIGKILL);
  waitpid(children[0], nullptr, 0);
  EXPECT_TRUE(until(3)) << mine.standing().holds.size();
  kill(children[1], SIGKILL);
  waitpid(children[1], nullptr, 0);
  EXPECT_TRUE(until(6)) << mine.standing().holds.size();
}

}  // namespace
