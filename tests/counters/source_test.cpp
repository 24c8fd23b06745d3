// The choice among the sources, and what this very machine gives: whatever it has, readings never go down.
#include "counters/source.hpp"

#include <charm/error.hpp>

#include <atomic>
#include <cstdlib>
#include <memory>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/notices.hpp"
#include "counters/fake_perf.hpp"
#include "counters/software.hpp"
#include "os/threads/affinity.hpp"

namespace charm::counters {
namespace {

base::Settings asking(const std::string& counters, const std::string& events = "") {
  Config config;
  config.counters = counters;
  config.counter_events = events;
  return base::resolve(config, [](const char*) -> const char* { return nullptr; });
}

Machine live() {
  Machine machine = Machine::from("pack:2 numa:1 l3:2 core:2 pu:1");
  machine.origin = "live";
  return machine;
}

/// Makes `count` page faults.
void touch_pages(int count) {
  const auto page = static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
  const auto bytes = page * static_cast<std::size_t>(count);
  void* memory = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  madvise(memory, bytes, MADV_NOHUGEPAGE);
  for (std::size_t i = 0; i < bytes; i += page) static_cast<volatile char*>(memory)[i] = 1;
  munmap(memory, bytes);
}

TEST(ChoosingASource, TakesTheHardwareWhereThereIsSome) {
  const FakeMachine machine;
  const auto source = choose_source(asking("auto"), live(), machine.around());
  EXPECT_EQ(source->describe().kind, Description::Kind::hardware);
  EXPECT_EQ(source->describe().name, "hardware counters (AMD Zen 4)");
}

TEST(ChoosingASource, FallsBackToSoftwareAndSaysWhyOnce) {
  const FakeMachine machine;
  machine.perf->refuse_all = EACCES;
  auto around = machine.around();
  around.access.paranoid = 4;
  const auto source = choose_source(asking("auto"), live(), around);
  const Description description = source->describe();
  EXPECT_EQ(description.kind, Description::Kind::software);
  EXPECT_NE(description.why_not.find("perf_event_paranoid is 4"), std::string::npos);
  EXPECT_FALSE(description.remedy.empty());
  choose_source(asking("auto"), live(), around);
  int told = 0;
  for (const auto& notice : base::notices()) told += notice.starts_with("no hardware counters") ? 1 : 0;
  EXPECT_EQ(told, 1);
}

TEST(ChoosingASource, RefusesToGoOnWhereHardwareIsAskedForAndMissing) {
  const FakeMachine machine;
  machine.perf->refuse_all = ENOENT;
  try {
    choose_source(asking("hardware"), live(), machine.around());
    FAIL() << "there is no hardware";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Errc::system);
  }
}

TEST(ChoosingASource, DoesNotCountThisMachineForOneOnPaper) {
  const FakeMachine machine;
  const auto source = choose_source(asking("auto"), Machine::from("pack:2 l3:2 core:2 pu:1"), machine.around());
  EXPECT_EQ(source->describe().kind, Description::Kind::software);
  EXPECT_NE(source->describe().why_not.find("on paper"), std::string::npos);
}

TEST(ChoosingASource, ObeysTheSetting) {
  const FakeMachine machine;
  EXPECT_EQ(choose_source(asking("none"), live(), machine.around())->describe().kind, Description::Kind::none);
  EXPECT_EQ(choose_source(asking("software"), live(), machine.around())->describe().kind, Description::Kind::software);
  EXPECT_THROW(choose_source(asking("replay:/no/such/file"), live(), machine.around()), Error);
  EXPECT_THROW(choose_source(asking("replay:/dev/zero"), live(), machine.around()), Error) << "it never ends";
  EXPECT_THROW(choose_source(asking("record:/no/such/folder/file"), live(), machine.around()), Error);
  EXPECT_THROW(choose_source(asking("auto", "own_l2"), live(), machine.around()), Error);
  EXPECT_THROW(asking("hardwear"), Error);
  EXPECT_THROW(asking("replay:"), Error);
}

TEST(NoSource, GivesReadingsThatSayNothing) {
  const auto thread = no_source("x")->open_for_this_thread(0);
  EXPECT_EQ(thread->read().has, Measured{});
  EXPECT_GT(thread->read().time_ns, 0U);
  const Description description = no_source("because")->describe();
  EXPECT_EQ(description.name, "nothing");
  EXPECT_EQ(description.why_not, "because");
  EXPECT_EQ(description.kind, Description::Kind::none);
}

TEST(SoftwareSignals, CountTheThreadsOwnPageFaults) {
  const auto source = software_source(source_context(), {});
  const auto thread = source->open_for_this_thread(0);
  const Reading before = thread->read();
  touch_pages(100);
  std::thread([&] { touch_pages(1000); }).join();
  std::this_thread::sleep_for(std::chrono::nanoseconds(SoftwareSignals::fresh_ns + 1));
  const Reading after = thread->read();
  EXPECT_TRUE(after.has.page_faults);
  EXPECT_GE(after.page_faults - before.page_faults, 100U);
  EXPECT_LT(after.page_faults - before.page_faults, 1000U) << "another thread's are not its own";
}

TEST(SoftwareSignals, CountMovesBetweenCpus) {
  if (os::allowed_cpus().size() < 2) GTEST_SKIP() << "one cpu";
  std::thread([] {
    const auto cpus = os::allowed_cpus();
    const auto source = software_source(source_context(), {});
    const auto thread = source->open_for_this_thread(0);
    std::uint64_t last = thread->read().migrations;
    for (int i = 0; i < 10; ++i) {
      os::bind_this_thread({cpus[static_cast<std::size_t>(i % 2)]});
      std::this_thread::sleep_for(std::chrono::nanoseconds(SoftwareSignals::fresh_ns + 1));
      const std::uint64_t now = thread->read().migrations;
      EXPECT_GE(now, last);
      last = now;
    }
    EXPECT_GE(last, 9U);
  }).join();
}

TEST(ThisMachine, HasReadingsThatNeverGoDown) {
  const auto source = Source::choose(asking("auto"), Machine::discover());
  const Description description = source->describe();
  EXPECT_NE(description.kind, Description::Kind::none);
  EXPECT_EQ(description.kind == Description::Kind::software, !description.why_not.empty());
  std::vector<std::thread> threads;
  for (int worker = 0; worker < 3; ++worker) {
    threads.emplace_back([&source, worker] {
      const auto thread = source->open_for_this_thread(worker);
      Reading last = thread->read();
      for (int i = 0; i < 2000; ++i) {
        if (i % 100 == 0) touch_pages(3);
        const Reading now = thread->read();
        EXPECT_GE(now.time_ns, last.time_ns);
        EXPECT_GE(now.instructions, last.instructions);
        EXPECT_GE(now.cycles, last.cycles);
        EXPECT_GE(now.page_faults, last.page_faults);
        EXPECT_GE(now.migrations, last.migrations);
        EXPECT_GE(now.waiting_ns, last.waiting_ns);
        for (const FillSource fill : all_fill_sources) EXPECT_GE(now.fill(fill), last.fill(fill));
        last = now;
      }
    });
  }
  for (auto& thread : threads) thread.join();
}

TEST(ThisMachine, CountsForTwoSourcesAtOnce) {
  const auto one = Source::choose(asking("auto"), Machine::discover());
  const auto two = Source::choose(asking("auto"), Machine::discover());
  const auto first = one->open_for_this_thread(0);
  {
    const auto second = two->open_for_this_thread(0);
    EXPECT_EQ(second->read().has, first->read().has);
  }
  EXPECT_EQ(first->read().has, one->describe().has);
}

TEST(ThisMachine, LetsAChildOfForkAlone) {
  const auto source = Source::choose(asking("auto"), Machine::discover());
  auto thread = source->open_for_this_thread(0);
  thread->read();
  const pid_t child = fork();
  if (child == 0) {
    const bool silent = thread->read().has == Measured{};
    thread.reset();
    _exit(silent ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_TRUE(WIFEXITED(status));
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

/// As few files for each thread as 384 have of 1,024, on this machine's kernel. Its own events stand for those of
/// processors, since most virtual machines have none; they are files all the same.
TEST(ThisMachine, CountsSixEventsOfEachThreadWithLessThanThreeFilesForEach) {
  constexpr int threads = 32;
  constexpr int files = threads * 1024 / 384;
  const pid_t child = fork();
  if (child == 0) {
    setenv("CHARM_QUIET", "1", 1);
    const rlimit limit{files, files};
    if (setrlimit(RLIMIT_NOFILE, &limit) != 0) _exit(2);
    SourceContext around = source_context();
    around.threads = threads;
    around.system_signals = false;
    around.switch_cost = nullptr;
    const auto wishes = parse_user_events(
        "instructions=1:2 own_chiplet=1:5 other_chiplet=1:3 remote_cache=1:4 local_dram=1:6 remote_dram=1:7");
    const auto source = try_hardware(model_named("zen4"), {2, 2, 2}, wishes, around).source;
    if (source == nullptr) _exit(2);
    std::vector<std::unique_ptr<ThreadCounters>> counters(threads);
    std::atomic<int> whole{0};
    std::vector<std::thread> all;
    for (int worker = 0; worker < threads; ++worker) {
      all.emplace_back([&, at = static_cast<std::size_t>(worker)] {
        counters[at] = source->open_for_this_thread(static_cast<int>(at));
        const Reading before = counters[at]->read();
        touch_pages(64);
        const Reading after = counters[at]->read();
        const bool counts = after.instructions >= before.instructions + 64;  // page faults
        if (counts && after.has.fills.size() == 5) ++whole;
      });
    }
    for (auto& thread : all) thread.join();
    _exit(whole == threads ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  ASSERT_TRUE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) GTEST_SKIP() << "the kernel gives no events of its own";
  EXPECT_EQ(WEXITSTATUS(status), 0);
}

TEST(PressureOfThisMachine, DoesNotGoDown) {
  const auto source = software_source(source_context(), {});
  const Pressure before = source->pressure();
  const Pressure after = source->pressure();
  EXPECT_EQ(before.known, after.known);
  EXPECT_GE(after.cpu_us, before.cpu_us);
}

}  // namespace
}  // namespace charm::counters
