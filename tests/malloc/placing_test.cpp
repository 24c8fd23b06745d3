// What is placed and how it is counted, refreshed weights, and the degraded modes, each with its one line.
#include <charm/error.hpp>

#include <algorithm>
#include <atomic>
#include <thread>

#include "malloc/under.hpp"
#include "os/memory/bare.hpp"
#include "os/threads/affinity.hpp"
#include "tools/os/sequenced_file.hpp"

namespace charm::shim::test {
namespace {

class Placing : public UnderTheShim {
 protected:
  Placing() { publish(two_memories()); }
};

long lines_of(const std::string& text) { return std::count(text.begin(), text.end(), '\n'); }

}  // namespace

TEST_F(Placing, HugeBlocksAreSpreadByWeightInFewCalls) {
  publish(two_memories(0, 0));
  const Said said = run(CHARM_CLIENT_C " again 10", "CHARM_MALLOC_STATS=stderr");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("policy test"), std::string::npos) << said.err;
  EXPECT_EQ(number_behind(said.err, "huge blocks"), 10U);
  EXPECT_EQ(number_behind(said.err, "refused"), 0U);
  const std::size_t at = said.err.find("huge bytes by node 0:");
  ASSERT_NE(at, std::string::npos) << said.err;
  const double first = std::stod(said.err.substr(at + 21));
  const double second = std::stod(said.err.substr(said.err.rfind(":") + 1));
  EXPECT_NEAR(first / (first + second), 0.8, 0.01);
  // Two layers for each block, and the normal chunks and jemalloc's own.
  EXPECT_LE(number_behind(said.err, "calls that placed"), 20 + number_behind(said.err, "normal chunks") + 4);
}

TEST_F(Placing, NormalBlocksComeFromTheArenaOfTheNode) {
  const Said said = run(CHARM_CLIENT_C " again 1", "CHARM_MALLOC_STATS=stderr");
  EXPECT_GE(number_behind(said.err, "normal chunks"), 1U) << said.err;
}

TEST_F(Placing, EachThreadHasAnArenaAndThoseOfEndedThreadsServeOthers) {
  publish(two_memories(0, 0));
  for (const auto& [how, arenas] : {std::pair{"beside 3", 4U}, std::pair{"after 5", 2U}}) {
    const Said said = run(std::string(CHARM_CLIENT_C " arenas ") + how, "CHARM_MALLOC_STATS=stderr");
    ASSERT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(number_behind(said.err, "arenas"), arenas) << how;
    EXPECT_EQ(number_behind(said.err, "moves"), 0U) << how;
  }
}

TEST_F(Placing, ThereAreFourArenasForEachCpuOfANode) {
  const std::string cpu = std::to_string(os::allowed_cpus().front());
  memory::WeightPage page = two_memories(0, 0);
  page.root_of_cpu.fill(memory::no_root);
  page.root_of_cpu[static_cast<std::size_t>(std::stoi(cpu))] = 0;
  publish(page);
  const Said said = run("taskset -c " + cpu + " " CHARM_CLIENT_C " arenas beside 12", "CHARM_MALLOC_STATS=stderr");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(number_behind(said.err, "arenas"), 4U);
}

TEST_F(Placing, AThreadThatMovesWithinItsNodeKeepsItsArenaAndBetweenNodesDoesNot) {
  for (const int root : {0, -1}) {
    publish(two_memories(0, root));
    const Said said = run(CHARM_CLIENT_C " moving", "CHARM_MALLOC_STATS=stderr");
    ASSERT_EQ(said.exit_code, 0) << said.err;
    if (said.out.find("one cpu") != std::string::npos) GTEST_SKIP() << "one cpu is allowed";
    EXPECT_EQ(number_behind(said.err, "moves") > 0, root < 0) << root;
    EXPECT_EQ(number_behind(said.err, "arenas"), root == 0 ? 1U : 2U) << root;
  }
}

TEST_F(Placing, NormalBlocksThatGrowMoveSeldom) {
  const Said said = run(CHARM_CLIENT_C " growing");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_LE(number_behind(said.out, "moves"), 4U) << said.out;
}

TEST_F(Placing, TheLimitIsASetting) {
  EXPECT_EQ(number_behind(run(CHARM_CLIENT_C " again 10", "CHARM_MALLOC_STATS=stderr CHARM_MALLOC_HUGE=8M").err,
                          "huge blocks"),
            0U);
  EXPECT_GE(number_behind(run(CHARM_CLIENT_C " again 10", "CHARM_MALLOC_STATS=stderr CHARM_MALLOC_HUGE=100K").err,
                          "huge blocks"),
            10U);
  const Said wrong = run("true", "CHARM_MALLOC_HUGE=4Q");
  EXPECT_EQ(wrong.err,
            "charm: malloc: CHARM_MALLOC_HUGE = '4Q' is not usable; give a size of at least 64K, such as 4M\n");
}

TEST_F(Placing, NewWeightsConcernNewBlocks) {
  memory::WeightPage other = two_memories();
  other.generation = 2;
  std::swap(other.weights[0], other.weights[1]);
  const std::string fresh = folder_.file("other", memory_traffic::page_bytes(other));
  chmod(fresh.c_str(), 0600);
  const Said said = run("sh -c '" CHARM_CLIENT_C " again 100 & sleep 0.2; mv " + fresh + " " + weights_ + "; wait'",
                        "CHARM_MALLOC_STATS=stderr");
  ASSERT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("weights read again 1"), std::string::npos) << said.err;
}

TEST_F(Placing, NoThreadIsStarted) {
  // The shell's own entry, once it has allocated enough for blocks of both kinds.
  EXPECT_EQ(run("sh -c 'set -- $(seq 20000); ls /proc/self/task | grep -c . ; ls /proc/$$/task | grep -c .'").out,
            "1\n1\n");
}

TEST_F(Placing, StatisticsGoToAFileOnRequest) {
  const std::string file = folder_.path("statistics");
  EXPECT_EQ(run("true", "CHARM_MALLOC_STATS=" + file).err, "");
  EXPECT_NE(content(file).find("policy test"), std::string::npos);
}

TEST_F(Placing, VariablesThatAreNotUsableAreALineEach) {
  const auto expect_line = [&](const std::string& variable, const std::string& line) {
    const Said said = run("true", variable);
    EXPECT_EQ(said.exit_code, 0);
    EXPECT_NE(said.err.find("charm: malloc: " + line), std::string::npos) << variable.substr(0, 80) << said.err;
    EXPECT_EQ(run("true", variable + " CHARM_QUIET=1").err.find("charm: malloc: "), std::string::npos) << variable;
  };
  expect_line("CHARM_MALLOC=yes", "CHARM_MALLOC = 'yes' is not usable; give on or off\n");
  expect_line("CHARM_MALLOC_STATIC=1", "CHARM_MALLOC_STATIC = '1' is not usable; give on or off\n");
  expect_line("CHARM_MALLOC_HUGE=4k", "CHARM_MALLOC_HUGE = '4k' is not usable; give a size of at least 64K");
  for (const std::string size : {"-4M", "4M ", "0", "4.5M", "4MiB", "17179869185G", "18446744073709551616"})
    expect_line("CHARM_MALLOC_HUGE='" + size + "'",
                "CHARM_MALLOC_HUGE = '" + size + "' is not usable; give a size of at least 64K");
  expect_line("CHARM_MALLOC=" + std::string(9000, 'x'),
              "CHARM_MALLOC = '" + std::string(63, 'x') + "...' is not usable; give on or off\n");
  expect_line("CHARM_MALLOC_STATS=told",
              "CHARM_MALLOC_STATS = 'told' is not usable; give stderr or an absolute path\n");
  expect_line("CHARM_MALLOC_STATS=/none/told", "the statistics cannot be written to '/none/told'");
  expect_line("CHARM_MALLOC_WEIGHT=x", "there is no variable CHARM_MALLOC_WEIGHT;");
  expect_line("CHARM_MALLOC_POLICY=paper", "there is no variable CHARM_MALLOC_POLICY;");
  EXPECT_EQ(run("true", "CHARM_MALLOC_STATIC=off CHARM_MALLOC_HUGE= CHARM_MALLOC_STATS= CHARM_MALLOC=").err, "");
}

TEST_F(Placing, OptionsOfJemallocCannotBreakIt) {
  const Said said = run(CHARM_CLIENT_C " contract", "MALLOC_CONF=retain:true,narenas:3,oversize_threshold:1M");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  // Nor keep it from placing: what moves between the roots of cpus has an arena of each.
  for (const std::string options : {"percpu_arena:percpu", "hpa:true", "tcache:false", "narenas:3"}) {
    const Said apart = run(CHARM_CLIENT_C " moving", "CHARM_MALLOC_STATS=stderr MALLOC_CONF=" + options);
    EXPECT_EQ(apart.exit_code, 0) << options << apart.err;
    if (apart.out.find("one cpu") != std::string::npos) GTEST_SKIP() << "one cpu is allowed";
    EXPECT_GE(number_behind(apart.err, "moves"), 1U) << options;
    EXPECT_GE(number_behind(apart.err, "normal chunks"), 2U) << options;
  }
}

TEST_F(Placing, ANodeThatMayNotBeUsedIsOneLine) {
  publish(two_memories(9, 1));
  const Said said = run(CHARM_CLIENT_C " contract", "CHARM_MALLOC_STATS=");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_EQ(lines_of(said.err), 1) << said.err;
  EXPECT_NE(said.err.find("may not use a NUMA node"), std::string::npos) << said.err;
  EXPECT_EQ(run("true", "CHARM_QUIET=1").err, "");
}

TEST_F(Placing, AKernelThatRefusesIsOneLine) {
  const Said said = run(CHARM_REFUSING " " CHARM_CLIENT_C " contract");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("the kernel refuses to place memory (mbind: error 1)"), std::string::npos) << said.err;
  EXPECT_EQ(lines_of(said.err), 1) << said.err;
}

TEST_F(Placing, AFilterThatHidesTheCallIsNotTakenForAKernelWithoutNodes) {
  const Said said = run(CHARM_REFUSING " --absent " CHARM_CLIENT_C " contract");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("a filter of system calls (seccomp) refuses to place memory (mbind: error 38)"),
            std::string::npos)
      << said.err;
  EXPECT_EQ(lines_of(said.err), 1) << said.err;
}

TEST_F(Placing, MappingsThatAreUsedUpAreOneLine) {
  const Said said = run(CHARM_CLIENT_C " mappings");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_LE(lines_of(said.err), 1) << said.err;
  EXPECT_TRUE(said.err.empty() || said.err.find("vm.max_map_count") != std::string::npos) << said.err;
}

TEST_F(Placing, StaticArraysAreToldOfAndSpreadOnRequest) {
  const Said told = run(CHARM_KERNELS " static");
  EXPECT_EQ(told.exit_code, 0) << told.err;
  EXPECT_NE(told.err.find(" MiB of static arrays never pass malloc"), std::string::npos) << told.err;
  EXPECT_EQ(lines_of(told.err), 1) << told.err;
  const Said placed = run(CHARM_KERNELS " static", "CHARM_MALLOC_STATIC=on CHARM_MALLOC_STATS=stderr");
  EXPECT_EQ(placed.out, "verified\n");
  EXPECT_GE(number_behind(placed.err, "static arrays, bytes"), 71U << 20U) << placed.err;
  EXPECT_EQ(number_behind(placed.err, "refused"), 0U);
}

TEST_F(Placing, KernelsAreVerified) {
  for (const std::string kernel : {"cg 30000", "mg 31", "ft 400", "is 1200000", "lookup 9000", "bfs 150000"}) {
    const Said said = run(CHARM_KERNELS " " + kernel, "CHARM_MALLOC_STATS=stderr CHARM_MALLOC_HUGE=1M");
    EXPECT_EQ(said.out, "verified\n") << kernel << said.err;
    EXPECT_TRUE(kernel[0] == 'm' || number_behind(said.err, "huge blocks") >= 1) << kernel;
  }
}

TEST_F(Placing, ASequenceThatIsOddIsAPageThatIsBeingWritten) {
  memory::WeightPage page = two_memories();
  page.sequence = 3;
  publish(page);
  EXPECT_NE(run(CHARM_CLIENT_C " again 1").err.find("no usable weights"), std::string::npos);
}

TEST_F(Placing, WeightsThatAreRewrittenAllTheTimeAreReadWhole) {
  std::filesystem::remove(weights_);
  const auto file = os::SequencedFile::open(weights_, false);
  memory::WeightPage pages[2] = {two_memories(), two_memories()};
  // Any mixture of the two would be refused: its roots are others than its cpus have.
  pages[1].roots = 1;
  pages[1].root_of_cpu.fill(0);
  pages[0].generation = 2;
  ASSERT_TRUE(file->write(memory_traffic::page_bytes(pages[0])));
  EXPECT_TRUE(os::has_writer(weights_));
  EXPECT_THROW(os::SequencedFile::open(weights_, false), Error);
  std::atomic<bool> done{false};
  std::thread writer([&] {
    for (std::size_t i = 0; !done; ++i) {
      pages[i % 2].generation = i;
      file->write(memory_traffic::page_bytes(pages[i % 2]));
    }
  });
  int whole = 0;
  for (int i = 0; i < 2000; ++i) {
    memory::WeightPage read;
    if (!os::bare::read_sequenced(weights_.c_str(), &read, sizeof read)) continue;
    ++whole;
    EXPECT_TRUE(is_sound(read));
    EXPECT_EQ(read.generation % 2, read.roots == 1 ? 1U : 0U);
    EXPECT_EQ(read.root_of_cpu[memory::most_cpus - 1], read.roots == 1 ? 0 : 1);
  }
  done = true;
  writer.join();
  EXPECT_GT(whole, 0);
}

TEST_F(Placing, WeightsThatCannotBeTrustedAreOneLineAndNoPlacement) {
  const auto expect_unusable = [&](const std::string& what) {
    const Said said = run(CHARM_CLIENT_C " again 1", "CHARM_MALLOC_STATS=stderr");
    EXPECT_EQ(said.exit_code, 0) << what << said.err;
    EXPECT_NE(said.err.find("no usable weights in '" + weights_ + "' (" + what + ")"), std::string::npos)
        << what << said.err;
    EXPECT_NE(said.err.find("memory was not placed"), std::string::npos) << what << said.err;
  };
  chmod(weights_.c_str(), 0666);
  expect_unusable("other users may write it");
  std::ofstream(weights_) << "short";
  chmod(weights_.c_str(), 0600);
  expect_unusable("it has another size: it is damaged or of another version");
  memory::WeightPage page = two_memories();
  page.memories = 1000;
  publish(page);
  expect_unusable("it is damaged, or being written");
  std::filesystem::remove(weights_);
  expect_unusable("there is no such file");
  std::filesystem::create_directory(weights_);
  expect_unusable("it is no plain file");
  std::filesystem::remove(weights_);
  std::filesystem::create_symlink("/dev/null", weights_);
  expect_unusable("it is a symbolic link");
}

TEST_F(Placing, DamagedWeightsAfterTheStartLeaveTheOldOnes) {
  const Said said = run("sh -c '" CHARM_CLIENT_C " again 60 & sleep 0.1; echo > " + weights_ + "; wait'",
                        "CHARM_MALLOC_STATS=stderr");
  EXPECT_EQ(said.exit_code, 0);
  EXPECT_NE(said.err.find("huge blocks 60"), std::string::npos) << said.err;
}

}  // namespace charm::shim::test
