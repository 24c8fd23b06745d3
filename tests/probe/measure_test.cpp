// The measurements themselves, on whatever machine this is: that they end, and that what they give is of a kind that
// hardware can give. How fast something is no test can know.
#include <set>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "os/machine/cpu_load.hpp"
#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "tools/probe/measuring/loaded_read.hpp"
#include "tools/probe/measuring/pair_plan.hpp"
#include "tools/probe/measuring/pairs.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"
#include "tools/probe/measuring/stream.hpp"
#include "tools/probe/measuring/working_set.hpp"
#include "tools/probe/picture.hpp"
#include "tools/probe/structure/landmarks.hpp"

using namespace charm::probe;

namespace {

/// One thread for each.
std::vector<int> allowed_cpus() {
  const charm::CpuSet cpus = charm::os::allowed_cpus();
  return {cpus.begin(), cpus.end()};
}

/// On a busy machine a thread may not run at all in five milliseconds.
template <class Read>
bool reads_in_the_end(Read&& read) {
  for (int attempt = 0; attempt < 1000; ++attempt) {
    if (read() > 0) return true;
  }
  return false;
}

TEST(LoadedRead, LoadAndReadersReadAsTheyAreTold) {
  const auto cpus = allowed_cpus();
  constexpr int node = 0;
  if (cpus.size() < 2 || !charm::os::NodeMemory(4096, node).bound()) GTEST_SKIP() << "two cpus, and bound memory";
  LoadedRead read({cpus[0]}, {cpus[1]}, {node}, 1 << 20);
  EXPECT_EQ(read.load_alone(0, 0.005), 0);
  for (const double part : {0.25, 1.0}) {
    EXPECT_TRUE(reads_in_the_end([&] { return read.load_alone(part, 0.005); })) << part;
    EXPECT_TRUE(reads_in_the_end([&] { return read.beside_load(part, 0.005); })) << part;
  }
  EXPECT_TRUE(reads_in_the_end([&] { return read.beside_load(0, 0.005); }));
}

TEST(PinnedThreads, EveryMemberWorksOnceARoundOnItsCpu) {
  const auto cpus = allowed_cpus();
  std::vector<int> worked(cpus.size(), 0), on(cpus.size(), -1);
  PinnedThreads threads(cpus, [&](int rank) {
    ++worked[static_cast<std::size_t>(rank)];
    on[static_cast<std::size_t>(rank)] = charm::os::current_cpu();
  });
  for (int round = 0; round < 5; ++round) EXPECT_GE(threads.round(), 0);
  EXPECT_EQ(worked, std::vector<int>(cpus.size(), 5));
  EXPECT_TRUE(threads.bound());
  EXPECT_EQ(on, cpus);
}

TEST(PinnedThreads, MoreMembersThanCpusStillEnd) {
  const int cpu = charm::os::allowed_cpus().front();
  std::atomic<int> worked{0};
  PinnedThreads threads({cpu, cpu, cpu}, [&](int) { ++worked; });
  threads.round();
  EXPECT_EQ(worked.load(), 3);
}

TEST(PinnedThreads, WaitForOthersBeforeTheTimeBegins) {
  const auto cpus = allowed_cpus();
  std::vector<double> met(cpus.size(), 0);
  std::vector<int> worked(cpus.size(), 0);
  PinnedThreads threads(
      cpus, [&](int rank) { ++worked[static_cast<std::size_t>(rank)]; },
      [&](int rank) {
        EXPECT_EQ(worked[static_cast<std::size_t>(rank)], 0) << "others are waited for first";
        std::this_thread::sleep_for(std::chrono::milliseconds(5));
        met[static_cast<std::size_t>(rank)] = now_ns();
      });
  threads.round();
  EXPECT_EQ(worked, std::vector<int>(cpus.size(), 1));
  EXPECT_GE(threads.begin_ns(), *std::min_element(met.begin(), met.end()));
}

TEST(Pairs, LatencyAndBandwidthOfTwoCpusArePositive) {
  const auto cpus = allowed_cpus();
  if (cpus.size() < 2) GTEST_SKIP() << "one cpu";
  PairOptions options;
  options.most_ms = 20000;  // other work may hold both cpus for long
  const auto latency = pair_latency(cpus[0], cpus[1], options);
  EXPECT_GT(latency.value.median, 0);
  const auto bandwidth = pair_bandwidth(cpus[0], cpus[1], options);
  EXPECT_GT(bandwidth.value.median, 0);
}

TEST(Pairs, OnOneCpuTheyEndInTheirTime) {
  const int cpu = charm::os::allowed_cpus().front();
  PairOptions options;
  options.most_ms = 20;
  EXPECT_FALSE(pair_latency(cpu, cpu, options).whole);
}

TEST(Pairs, AllOrLandmarks) {
  EXPECT_EQ(pairs_to_measure(5, false).size(), 10U);
  const auto sampled = pairs_to_measure(576, true);
  EXPECT_LT(sampled.size(), 576U * 575 / 2 / 3);
  std::set<std::pair<int, int>> once(sampled.begin(), sampled.end());
  EXPECT_EQ(once.size(), sampled.size());
  for (const auto& [i, j] : sampled) EXPECT_GT(i, j);
  // Every chiplet of eight neighbours has a cpu that is measured with everybody.
  std::vector<int> degree(576, 0);
  for (const auto& [i, j] : sampled) ++degree[static_cast<std::size_t>(i)], ++degree[static_cast<std::size_t>(j)];
  for (std::size_t chiplet = 0; chiplet < 576; chiplet += 8) {
    EXPECT_TRUE(std::any_of(degree.begin() + static_cast<std::ptrdiff_t>(chiplet),
                            degree.begin() + static_cast<std::ptrdiff_t>(chiplet) + 8, [](int d) { return d == 575; }));
  }
}

TEST(Pairs, ASampleOf576CpusEndsWithinTwoMinutesWhateverTheMachine) {
  for (int cpus : {130, 192, 256, 384, 576, 768}) {
    std::vector<std::vector<int>> siblings;
    for (int core = 0; core < cpus / 2; ++core) siblings.push_back({core, core + cpus / 2});
    const auto latency = plan_pairs(cpus, siblings, {.sampled = true, .seconds = 70});
    const auto bandwidth = plan_pairs(cpus, siblings, {.sampled = true, .seconds = 25, .landmarks_of = 24});
    if (cpus <= 576) {
      EXPECT_LE(latency.most_seconds() * 1.1 + bandwidth.most_seconds() * 1.1, 108) << cpus;
    }
    // Far pairs of a slow machine still get all their samples.
    EXPECT_GE(latency.options.most_ms, (latency.options.samples + 1) * latency.options.round_trips * 2 * 400e-6)
        << cpus;
    const std::set<std::pair<int, int>> measured(latency.pairs.begin(), latency.pairs.end());
    EXPECT_EQ(measured.size(), latency.pairs.size());
    for (const auto& core : siblings) EXPECT_TRUE(measured.contains({core[1], core[0]}));
  }
}

TEST(Pairs, FewOnesAreMeasuredThreeTimesOver) {
  EXPECT_EQ(plan_pairs(2, {}, {.seconds = 3}).passes, 3);
  EXPECT_LE(plan_pairs(2, {}, {.seconds = 3}).most_seconds(), 3);
  EXPECT_EQ(plan_pairs(64, {}, {.seconds = 3}).passes, 1);
}

TEST(Stream, ProcessesAndThreadsMoveWhatTheyAreGiven) {
  const auto cpus = allowed_cpus();
  const auto together = stream({cpus}, 6 << 20, 3);
  EXPECT_EQ(together.threads, static_cast<int>(cpus.size()));
  for (double rate : together.best_gb_per_s) EXPECT_GT(rate, 0);
  const auto apart = stream({{cpus.front()}, {cpus.back()}}, 6 << 20, 3);
  EXPECT_EQ(apart.threads, 2);
  for (double rate : apart.best_gb_per_s) EXPECT_GT(rate, 0);
}

TEST(WorkingSets, SmallAndLargeOnesAreMeasured) {
  const int cpu = charm::os::allowed_cpus().front();
  for (std::size_t bytes : {std::size_t{64}, std::size_t{4096}, std::size_t{1} << 20}) {
    const auto set = working_set(cpu, -1, bytes, 2);
    EXPECT_GT(set.latency_ns.median, 0);
    EXPECT_GT(set.gb_per_s.median, 0);
  }
  EXPECT_GT(write_once({cpu}, 38, 2).median, 0);
}

TEST(NodeMemory, IsThereAndHasAHomeWhereTheKernelTells) {
  charm::os::NodeMemory memory(1 << 16, 0);
  static_cast<char*>(memory.data())[0] = 1;
  const int home = charm::os::home_of(memory.data());
  if (memory.bound() && home >= 0) {
    EXPECT_EQ(home, 0);
  }
}

TEST(CpuLoad, BusyShareIsReadFromProcStat) {
  const charm::test::Folder folder;
  const std::string root = folder.path();
  const auto write = [&](const char* text) { folder.file("proc/stat", text); };
  write("cpu  9 9 9 9\ncpu0 100 0 0 100 0 0 0 0 0 0\ncpu5 0 0 0 200 0 0 0 0 0 0\nintr 5\n");
  const auto earlier = charm::os::cpu_times(root);
  write("cpu  9 9 9 9\ncpu0 150 0 0 150 0 0 0 0 0 0\ncpu5 0 0 0 300 0 0 0 0 0 0\nintr 5\n");
  const auto later = charm::os::cpu_times(root);
  EXPECT_EQ(later.size(), 2U);
  EXPECT_DOUBLE_EQ(charm::os::busy_share(earlier, later), 0.25);
  EXPECT_EQ(charm::os::busy_share(later, earlier), 0);
  EXPECT_TRUE(charm::os::cpu_times(root + "/nowhere").empty());
}

TEST(Pictures, AHeatmapFitsTheTerminalAndShowsItsScale) {
  LatencyMatrix matrix(200);
  for (int i = 0; i < 200; ++i) {
    for (int j = 0; j < i; ++j) matrix.set(i, j, i / 100 == j / 100 ? 20 : 200);
  }
  const std::string plain = heatmap_text(matrix, "ns", {true, false, 80});
  std::size_t begin = 0;
  for (auto end = plain.find('\n'); end != std::string::npos; begin = end + 1, end = plain.find('\n', begin))
    EXPECT_LE(end - begin, 80U);
  EXPECT_NE(plain.find("20.0 ns"), std::string::npos);
  EXPECT_NE(plain.find("200 ns"), std::string::npos);
  EXPECT_EQ(plain.find('\x1b'), std::string::npos);
  EXPECT_NE(heatmap_text(matrix, "ns", {true, true, 80}).find('\x1b'), std::string::npos);
}

TEST(Pictures, ThePageNeedsNothingFromElsewhereAndEscapesNames) {
  Profile profile;
  profile.key.name = "<b>&";
  profile.cpus = {0, 1};
  profile.latency = LatencyMatrix(2);
  profile.latency.set(0, 1, 50);
  profile.bandwidth = LatencyMatrix(2);
  profile.seen = cluster(profile.latency);
  profile.partial = true;
  const std::string html = profile_html(profile);
  EXPECT_EQ(html.find("<b>&"), std::string::npos);
  EXPECT_NE(html.find("partial"), std::string::npos);
  EXPECT_EQ(html.find("src="), std::string::npos);
  EXPECT_EQ(html.find("href="), std::string::npos);
}

TEST(Pictures, AxesHaveRoundNumbersAndSayWhatTheyAre) {
  Profile profile;
  profile.curves = {
      {"STREAM by processes", "processes", "", "bandwidth", "GB/s", {{"read", {{1, 0.946, 0}, {2, 12.2, 0}}}}},
      {"Latency by working set", "working set", "B", "latency", "ns", {{"own", {{4096, 1.58, 0}, {1 << 24, 158, 0}}}}},
      {"STREAM by chiplets", "chiplets", "", "bandwidth", "GB/s", {{"read", {}}}}};
  const std::string html = profile_html(profile);
  for (const char* part : {">1</text>", ">2</text>", ">10</text>", ">100</text>", ">4 KiB</text>",
                           "processes (logarithmic)", "latency, ns (logarithmic)"})
    EXPECT_NE(html.find(part), std::string::npos) << part;
  for (const char* part : {">158</text>", ">12.2</text>", ">1.41</text>", "STREAM by chiplets"})
    EXPECT_EQ(html.find(part), std::string::npos) << part;
}

}  // namespace
