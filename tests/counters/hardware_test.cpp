// Simulated hardware counters: which events are opened, what a reading contains, and how it degrades.
#include <charm/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <fcntl.h>
#include <filesystem>
#include <iterator>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>

#include "base/settings.hpp"
#include "counters/fake_perf.hpp"
#include "counters/source.hpp"
#include "os/files/set_aside.hpp"

namespace charm::counters {
namespace {

constexpr Shape two_sockets{2, 2, 2};
constexpr std::uint64_t ms = 1'000'000;

struct Rig {
  FakeMachine machine;
  std::unique_ptr<Source> source;
  std::unique_ptr<ThreadCounters> thread;

  explicit Rig(const char* core = "zen4", const Shape& shape = two_sockets) { start(core, shape); }
  Rig(const char* core, const std::function<void(FakePerf&)>& prepare, const Shape& shape = two_sockets) {
    prepare(*machine.perf);
    start(core, shape);
  }
  void start(const char* core, const Shape& shape) {
    source = try_hardware(model_named(core), shape, {}, machine.around()).source;
    if (source != nullptr) thread = source->open_for_this_thread(0);
  }
  void count(std::uint32_t type, std::uint64_t config, std::uint64_t more, std::uint64_t config1 = 0) const {
    auto* counter = machine.perf->counter(type, config, config1);
    ASSERT_NE(counter, nullptr) << config;
    counter->value += more;
  }
  [[nodiscard]] bool noted(const std::string& words) const {
    for (const auto& note : source->describe().notes) {
      if (note.find(words) != std::string::npos) return true;
    }
    return false;
  }
};

constexpr std::uint32_t raw = 4;
constexpr std::uint32_t generic = 0;

TEST(Hardware, PutsEveryEventIntoItsSource) {
  const Rig rig;
  rig.count(generic, PERF_COUNT_HW_INSTRUCTIONS, 1000);
  rig.count(raw, 0x244, 1);
  rig.count(raw, 0x444, 2);
  rig.count(raw, 0x844, 3);
  rig.count(raw, 0x1044, 4);
  rig.count(raw, 0x4044, 5);
  FakeMachine(rig.machine).pass(ms);
  const Reading reading = rig.thread->read();
  EXPECT_EQ(reading.instructions, 1000U);
  EXPECT_EQ(reading.fill(FillSource::own_chiplet), 1U);
  EXPECT_EQ(reading.fill(FillSource::other_chiplet), 2U);
  EXPECT_EQ(reading.fill(FillSource::local_dram), 3U);
  EXPECT_EQ(reading.fill(FillSource::remote_cache), 4U);
  EXPECT_EQ(reading.fill(FillSource::remote_dram), 5U);
  EXPECT_EQ(reading.counted_share, 1);
  EXPECT_TRUE(reading.has.instructions);
  EXPECT_FALSE(reading.has.cycles);
  EXPECT_FALSE(reading.has.fills.has(FillSource::own_l2));
  EXPECT_TRUE(reading.has.page_faults);
}

TEST(Hardware, DescribesWhatItCounts) {
  const Rig rig;
  const Description description = rig.source->describe();
  EXPECT_EQ(description.kind, Description::Kind::hardware);
  EXPECT_EQ(description.name, "hardware counters (AMD Zen 4)");
  EXPECT_EQ(description.events.size(), 6U);
  EXPECT_EQ(description.classes.size(), 5U);
  EXPECT_FALSE(description.multiplexed);
  EXPECT_EQ(description.method, Description::Method::system_call);
  EXPECT_TRUE(description.why_not.empty());
  EXPECT_EQ(rig.machine.perf->open_counters.size(), 6U) << "the thread's own; the trial's are closed";
}

TEST(Hardware, SaysWhenItCanBeReadWithoutTheKernel) {
  const Rig rig("zen4", [](FakePerf& perf) { perf.maps = perf.rdpmc = true; });
  EXPECT_EQ(rig.source->describe().method, Description::Method::rdpmc);
}

TEST(Hardware, SubtractsWhatIsToBeTakenOffAndNeverGoesDown) {
  Rig rig("neoverse-n1");
  rig.count(raw, 0x36, 100);
  rig.count(raw, 0x37, 30);  // the first of two counters of this event: own_chiplet's
  rig.machine.pass(ms);
  const Reading first = rig.thread->read();
  EXPECT_EQ(first.fill(FillSource::own_chiplet), 70U);
  rig.count(raw, 0x37, 10);
  rig.machine.pass(ms);
  EXPECT_EQ(rig.thread->read().fill(FillSource::own_chiplet), 70U) << "a difference may step back, a total does not";
}

TEST(Hardware, ReportsTheShareOfTimeInWhichItCounted) {
  Rig rig("spr");
  EXPECT_TRUE(rig.source->describe().multiplexed);
  EXPECT_TRUE(rig.noted("take turns in 2 groups"));
  rig.count(raw, 0x12a, 50, 0x104004477);
  *rig.machine.time += 4 * ms;
  rig.machine.perf->enabled += 4 * ms;
  rig.machine.perf->running += 2 * ms;
  const Reading reading = rig.thread->read();
  EXPECT_DOUBLE_EQ(reading.counted_share, .5);
  EXPECT_EQ(reading.fill(FillSource::local_dram), 100U);
}

TEST(Hardware, MakesGroupsSmallerWhereTheKernelTakesFewerEvents) {
  const Rig rig("zen4", [](FakePerf& perf) { perf.room = 4; });
  ASSERT_NE(rig.source, nullptr);
  EXPECT_TRUE(rig.source->describe().multiplexed);
  EXPECT_EQ(rig.machine.perf->open_counters.size(), 6U);
}

TEST(Hardware, MakesGroupsSmallerWhenTheyNeverGetACounter) {
  Rig rig;
  rig.count(raw, 0x444, 7);
  rig.machine.pass(ms);
  EXPECT_EQ(rig.thread->read().fill(FillSource::other_chiplet), 7U);
  for (int i = 0; i < 80; ++i) {  // enabled, never running: somebody holds a counter
    *rig.machine.time += ms;
    rig.machine.perf->enabled += ms;
    EXPECT_EQ(rig.thread->read().fill(FillSource::other_chiplet), 7U);
  }
  EXPECT_EQ(rig.machine.perf->open_counters.size(), 6U);
  std::set<int> leaders;
  for (const auto& [descriptor, counter] : rig.machine.perf->open_counters) leaders.insert(counter.leader);
  EXPECT_GT(leaders.size(), 1U);
  EXPECT_TRUE(rig.noted("others hold some of the counters"));
  rig.count(raw, 0x444, 5);
  rig.machine.perf->enabled += ms;
  rig.machine.perf->running = rig.machine.perf->enabled;
  EXPECT_EQ(rig.thread->read().fill(FillSource::other_chiplet), 12U) << "what was counted before stays";
}

TEST(Hardware, LeavesOutASourceWhoseEventIsRefused) {
  const Rig rig("zen4", [](FakePerf& perf) { perf.refused_configs[0x1044] = EINVAL; });
  ASSERT_NE(rig.source, nullptr);
  const Description description = rig.source->describe();
  EXPECT_FALSE(description.has.fills.has(FillSource::remote_cache));
  EXPECT_TRUE(description.has.fills.has(FillSource::remote_dram));
  EXPECT_FALSE(counted(description.classes).has(FillSource::remote_cache));
  EXPECT_TRUE(rig.noted("the kernel refuses"));
}

TEST(Hardware, LeavesOutASumOfWhichAPartIsRefused) {
  const Rig rig("neoverse-n1", [](FakePerf& perf) { perf.refused_configs[0x37] = ENOENT; });
  ASSERT_NE(rig.source, nullptr);
  EXPECT_EQ(rig.source->describe().has.fills, FillSet{FillSource::remote_dram});
}

TEST(Hardware, IsNotThereWithoutAPmu) {
  FakeMachine machine;
  machine.perf->refuse_all = ENOENT;
  const auto attempt = try_hardware(model_named("zen4"), two_sockets, {}, machine.around());
  EXPECT_EQ(attempt.source, nullptr);
  EXPECT_NE(attempt.refusal.why.find("ENOENT"), std::string::npos);
}

TEST(Hardware, OfOneThreadMayFailWithoutTheOthers) {
  Rig rig;
  rig.machine.perf->refuse_all = EMFILE;
  const auto poor = rig.source->open_for_this_thread(1);
  EXPECT_FALSE(poor->read().has.instructions);
  EXPECT_TRUE(poor->read().has.page_faults);
  EXPECT_TRUE(rig.noted("too many files"));
  EXPECT_TRUE(rig.thread->read().has.instructions);
}

/// What a worker's controller needs of each of `cores` threads where `ulimit -n 1024` has set both limits: the number
/// of threads that have it, or negative where that cannot be tried. \param pages that may be mapped
/// \param events that each thread is to count.
int threads_counted_with_1024_files(int cores, int pages, int events) {
  int told[2];
  if (pipe(told) != 0) return -1;
  const pid_t child = fork();
  if (child == 0) {
    const int answer = dup2(told[1], 3);
    close_range(4, ~0U, 0);  // what the test itself was started with
    rlimit files{1024, 1024};
    if (setrlimit(RLIMIT_NOFILE, &files) != 0) _exit(1);
    setenv("CHARM_QUIET", "1", 1);
    FakeMachine machine;
    machine.perf->room = 6;
    machine.perf->maps = true;
    machine.perf->most_pages = pages;
    machine.perf->close_file = close;
    machine.perf->open_file = [] { return os::open_aside([] { return open("/dev/null", O_RDONLY | O_CLOEXEC); }); };
    auto around = machine.around();
    around.files = os::reachable_file_limit();
    Machine many = Machine::from("pack:2 numa:1 l3:" + std::to_string(cores / 16) + " core:8 pu:1");
    many.origin = "live";
    const auto source =
        choose_source(base::resolve({}, [](const char*) -> const char* { return nullptr; }), many, around);
    std::vector<std::unique_ptr<ThreadCounters>> threads;
    int counted = 0;
    for (int worker = 0; worker < cores; ++worker) {
      threads.push_back(source->open_for_this_thread(worker));
      machine.perf->run(1000);
      const Measured has = threads.back()->read().has;
      const int measured = has.fills.size() + (has.instructions ? 1 : 0) + (has.cycles ? 1 : 0);
      if (measured >= events && has.instructions && has.fills.has(FillSource::other_chiplet) &&
          has.fills.has(FillSource::local_dram))
        ++counted;
    }
    // The program can still open nearly a quarter of its files.
    for (int more = 0; more < 230; ++more) {
      if (open("/dev/null", O_RDONLY) < 0) counted = -2;
    }
    _exit(write(answer, &counted, sizeof counted) == sizeof counted ? 0 : 1);
  }
  int status = 0, counted = -1;
  waitpid(child, &status, 0);
  close(told[1]);
  if (read(told[0], &counted, sizeof counted) != sizeof counted) counted = -3;
  close(told[0]);
  return counted;
}

/// A group is one file, since the events' pages keep the others open.
TEST(Hardware, CountsAllEventsOf192And384ThreadsWith1024Files) {
  EXPECT_EQ(threads_counted_with_1024_files(192, 1 << 20, 6), 192);
  EXPECT_EQ(threads_counted_with_1024_files(384, 1 << 20, 6), 384);
}

/// Where the user may lock no memory for pages each event is a file.
TEST(Hardware, CountsWithoutPagesWhatTellsMost) {
  EXPECT_EQ(threads_counted_with_1024_files(192, 0, 4), 192);
  EXPECT_EQ(threads_counted_with_1024_files(384, 0, 3), 256) << "two files for each would not tell enough";
}

/// Whoever finds no file goes on without counters, the others with theirs.
TEST(Hardware, CountsAsManyThreadsAsItCanWherePagesRunOutMeanwhile) {
  const int counted = threads_counted_with_1024_files(384, 600, 6);
  EXPECT_GE(counted, 192);
  EXPECT_LT(counted, 384);
}

/// What a thread kept is there for others once it has ended.
TEST(Hardware, GivesTheFilesOfThreadsThatEndToOthers) {
  FakeMachine machine;
  auto around = machine.around();
  around.files = 40;  // of which counters may keep 30
  around.threads = 5;
  const auto source = try_hardware(model_named("zen4"), two_sockets, {}, around).source;
  ASSERT_NE(source, nullptr);
  const auto count = [&] { return source->open_for_this_thread(0); };
  std::vector<std::unique_ptr<ThreadCounters>> threads;
  for (int thread = 0; thread < 5; ++thread) threads.push_back(count());
  EXPECT_TRUE(threads.back()->read().has.instructions);
  EXPECT_FALSE(count()->read().has.instructions);
  threads.pop_back();
  EXPECT_TRUE(count()->read().has.instructions);
  EXPECT_LE(machine.perf->files(), 30);
}

TEST(Hardware, NeedsNoOtherFilesThanItsEvents) {
  FakeMachine machine;
  auto around = machine.around();
  around.system_signals = false;
  const auto source = try_hardware(model_named("zen4"), two_sockets, {}, around).source;
  const auto files = [] {
    const std::filesystem::directory_iterator all("/proc/self/fd");
    return std::distance(begin(all), end(all));
  };
  const auto before = files();
  const auto thread = source->open_for_this_thread(0);
  EXPECT_EQ(files(), before) << "a clock of waiting time that nobody decides by";
  EXPECT_FALSE(thread->read().has.page_faults);
}

TEST(Hardware, KnowsWhatAReadingTakes) {
  FakeMachine machine;
  machine.perf->on_read = [time = machine.time] { *time += 30'000; };
  EXPECT_NEAR(try_hardware(model_named("zen4"), two_sockets, {}, machine.around()).source->describe().reading_s, 30e-6,
              1e-9);
}

TEST(Hardware, TakesTheMedianOfWhatReadingsTake) {
  FakeMachine machine;
  machine.perf->on_read = [time = machine.time, read = 0]() mutable {
    *time += ++read >= 4 && read <= 6 ? 5'000'000U : 30'000U;  // of nine the three in the middle were interrupted
  };
  EXPECT_NEAR(try_hardware(model_named("zen4"), two_sockets, {}, machine.around()).source->describe().reading_s, 30e-6,
              1e-9);
}

/// 30 us for each switch, as where a hypervisor traps: 66 switches a second are two thousandths of the time.
TEST(Hardware, IsGivenUpByAThreadThatSwitchesTooOften) {
  for (const std::uint64_t switches_a_second : {40, 400}) {
    FakeMachine machine;
    std::uint64_t switches = 0;
    auto around = machine.around();
    around.switch_cost = [](const std::vector<os::PerfEvent>& events) -> std::optional<double> {
      return 5e-6 * static_cast<double>(events.size());
    };
    around.switches = [&] { return switches; };
    const auto source = try_hardware(model_named("zen4"), two_sockets, {}, around).source;
    EXPECT_NEAR(source->describe().switch_s, 30e-6, 1e-9);
    const auto thread = source->open_for_this_thread(0);
    for (int i = 0; i < 20; ++i) {
      machine.perf->counter(generic, PERF_COUNT_HW_INSTRUCTIONS)->value += 1000;
      thread->read();
      switches += switches_a_second / 10;
      machine.pass(100 * ms);
      if (machine.perf->open_counters.empty()) break;
    }
    const bool given_up = switches_a_second > 66;
    EXPECT_EQ(machine.perf->open_counters.empty(), given_up);
    EXPECT_EQ(thread->read().has.instructions, !given_up);
    const auto notes = source->describe().notes;
    EXPECT_EQ(std::any_of(notes.begin(), notes.end(),
                          [](const std::string& note) { return note.find("switches so often") != std::string::npos; }),
              given_up);
  }
}

TEST(Hardware, StandsStillWhenTheCountersVanish) {
  Rig rig;
  rig.count(generic, PERF_COUNT_HW_INSTRUCTIONS, 1000);
  rig.machine.pass(ms);
  EXPECT_EQ(rig.thread->read().instructions, 1000U);
  rig.machine.perf->gives_nothing = true;
  const Reading reading = rig.thread->read();
  EXPECT_EQ(reading.instructions, 1000U);
  EXPECT_FALSE(reading.has.instructions);
  EXPECT_TRUE(reading.has.fills.empty());
  EXPECT_TRUE(rig.noted("vanished"));
}

TEST(Hardware, ThatCountsNothingIsNotBelieved) {
  Rig rig;
  for (int i = 0; i < 1200; ++i) {
    rig.machine.pass(ms);
    rig.thread->read();
  }
  EXPECT_FALSE(rig.thread->read().has.instructions);
  EXPECT_TRUE(rig.noted("count nothing"));
}

TEST(Hardware, WhoseFillsCountNothingKeepsItsInstructions) {
  Rig rig;
  rig.count(generic, PERF_COUNT_HW_INSTRUCTIONS, 20'000'000'000);
  rig.machine.pass(ms);
  const Reading reading = rig.thread->read();
  EXPECT_TRUE(reading.has.instructions);
  EXPECT_TRUE(reading.has.fills.empty());
  rig.count(raw, 0x844, 1);
  rig.machine.pass(ms);
  EXPECT_FALSE(rig.thread->read().has.fills.empty()) << "one fill is enough to believe them again";
}

TEST(Hardware, OfSeveralRuntimesAreApart) {
  const Rig one;
  {
    const FakeMachine same = one.machine;
    const auto second = try_hardware(model_named("zen4"), two_sockets, {}, same.around());
    const auto thread = second.source->open_for_this_thread(0);
    EXPECT_EQ(same.perf->open_counters.size(), 12U);
  }
  EXPECT_EQ(one.machine.perf->open_counters.size(), 6U) << "closing one's leaves the other's";
}

TEST(Hardware, IsLeftAloneByAChildOfFork) {
  Rig rig("zen4", [](FakePerf& perf) { perf.maps = perf.rdpmc = true; });
  rig.count(generic, PERF_COUNT_HW_INSTRUCTIONS, 1000);
  rig.machine.pass(ms);
  rig.thread->read();
  const pid_t child = fork();
  if (child == 0) {
    const int reads = rig.machine.perf->reads;
    rig.machine.perf->on_read_counter = [](std::uint32_t) { _exit(9); };
    const Reading reading = rig.thread->read();
    const bool still = reading.instructions == 1000 && reading.has == Measured{};
    rig.thread.reset();
    _exit(still && rig.machine.perf->reads == reads ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  EXPECT_EQ(WEXITSTATUS(status), 0);
  EXPECT_TRUE(rig.thread->read().has.instructions) << "the parent goes on";
}

}  // namespace
}  // namespace charm::counters
