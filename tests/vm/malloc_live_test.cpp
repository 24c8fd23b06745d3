// The traffic-aware malloc on a kernel with several nodes while things change: replayed traffic, the nodes that a
// control group allows, a node that is full; and how many mappings a block takes. The model gives node i a controller
// of 10 * (i + 1) GB/s, so that every node has a weight of its own.
#include <charm/machine.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <gtest/gtest.h>

#include "memory/layers.hpp"
#include "memory/weight_page.hpp"
#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "vm/guest_model.hpp"

namespace malloc_live {  // names are as in malloc_test.cpp
namespace {

using charm::memory::WeightPage;
using charm::test::gb_per_s;
using charm::test::write_model;
constexpr const char* library = "/bin/libcharm_malloc.so";
constexpr const char* weights_file = "/tmp/live-weights";
constexpr const char* group = "/sys/fs/cgroup/malloc";
constexpr std::size_t page_bytes = 4096;
constexpr std::size_t mib = std::size_t{1} << 20U;

std::string text_of(const std::string& path) {
  std::ifstream file(path);
  return {std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
}

long lines_with(const std::string& text, const std::string& what) {
  std::istringstream lines(text);
  long count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(what) != std::string::npos ? 1 : 0;
  return count;
}

std::size_t free_bytes(int node) {
  const std::string text = text_of("/sys/devices/system/node/node" + std::to_string(node) + "/meminfo");
  const std::size_t at = text.find("MemFree:");
  return at == std::string::npos ? 0 : std::stoull(text.substr(at + 8)) << 10U;
}

/// The node with the highest number, which need not be the last one of the machine.
int last_node(const charm::Machine& machine) {
  int last = 0;
  for (const charm::Node& node : machine.nodes) last = std::max(last, node.os_index);
  return last;
}

/// What the kernel keeps free of a node as long as another one has memory.
std::size_t low_watermark(int node) {
  std::ifstream zones("/proc/zoneinfo");
  const std::string heading = "Node " + std::to_string(node) + ", zone";
  std::size_t pages = 0;
  bool here = false;
  for (std::string line; std::getline(zones, line);) {
    if (line.starts_with("Node ")) here = line.starts_with(heading);
    std::istringstream words(line);
    std::string word;
    std::size_t number = 0;
    if (here && words >> word >> number && word == "low") pages += number;
  }
  return pages * page_bytes;
}

WeightPage read_page() {
  WeightPage page;
  std::ifstream file(weights_file, std::ios::binary);
  file.read(reinterpret_cast<char*>(&page), sizeof page);
  return page;
}

/// The part of each node, by OS number, for blocks of the cpu on which this thread runs.
std::map<int, double> parts_of(const WeightPage& page) {
  const std::size_t root = page.root_of_cpu[static_cast<std::size_t>(charm::os::current_cpu())];
  double sum = 0;
  for (std::size_t m = 0; m < page.memories; ++m) sum += page.weights[root][m];
  std::map<int, double> parts;
  for (std::size_t m = 0; m < page.memories; ++m) parts[page.os_node[m]] = page.weights[root][m] / sum;
  return parts;
}

struct Block {
  explicit Block(std::size_t size, bool touched = true) : bytes(size), data(static_cast<char*>(std::malloc(size))) {
    if (touched) touch();
  }
  ~Block() { std::free(data); }
  Block(const Block&) = delete;
  Block& operator=(const Block&) = delete;

  void touch() const {
    for (std::size_t at = 0; data != nullptr && at < bytes; at += page_bytes) data[at] = 1;
  }
  [[nodiscard]] std::vector<int> homes() const {
    std::vector<int> nodes;
    for (std::size_t at = 0; at < bytes; at += page_bytes) nodes.push_back(charm::os::page_home(data + at).node);
    return nodes;
  }
  /// The largest difference of a node's part to what it should be.
  [[nodiscard]] double off(const std::map<int, double>& parts) const {
    std::map<int, double> found;
    for (const int node : homes()) found[node] += static_cast<double>(page_bytes) / static_cast<double>(bytes);
    double most = 0;
    for (const auto& [node, part] : parts) most = std::max(most, std::abs(found[node] - part));
    return most;
  }

  std::size_t bytes;
  char* data;
};

void stay_on_a_cpu() { ASSERT_TRUE(charm::os::bind_this_thread(charm::CpuSet{charm::os::current_cpu()})); }

/// Leaves so many bytes of a node free. The others are the kernel's pool of huge pages, which it need not even clear.
class Filled {
 public:
  Filled(int node, std::size_t left)
      : file_("/sys/devices/system/node/node" + std::to_string(node) + "/hugepages/hugepages-2048kB/nr_hugepages") {
    std::ofstream(file_) << (free_bytes(node) - left) / (2 * mib);
  }
  ~Filled() { std::ofstream(file_) << 0; }
  Filled(const Filled&) = delete;
  Filled& operator=(const Filled&) = delete;

 private:
  std::string file_;
};

class MallocLive : public testing::Test {
 protected:
  void SetUp() override {
    if (!std::ifstream(library)) GTEST_SKIP() << "this build has no " << library;
    machine_ = charm::Machine::discover();
    if (machine_.nodes.size() < 2) GTEST_SKIP() << "one node leaves nothing to place";
    write_model(machine_, "/tmp/live-model.json");
    std::ofstream("/sys/kernel/mm/transparent_hugepage/enabled") << "never";
    ASSERT_EQ(std::system("charm malloc weights --model /tmp/live-model.json --file /tmp/live-weights >/dev/null"), 0);
  }

  /// Runs one of the tests below under the malloc. \return what it said on standard error.
  static std::string under_the_malloc(const std::string& test) {
    const int status = std::system(("LD_PRELOAD=" + std::string(library) + " CHARM_MALLOC_WEIGHTS=" + weights_file +
                                    " vm_guest_test --gtest_brief=1 --gtest_also_run_disabled_tests --gtest_filter=" +
                                    "MallocLiveChild.DISABLED_" + test + " 2>/tmp/said")
                                       .c_str());
    const std::string said = text_of("/tmp/said");
    EXPECT_EQ(status, 0) << said;
    return said;
  }

  charm::Machine machine_;
};

TEST_F(MallocLive, ReplayedTrafficShiftsNewBlocksOnly) {
  // Nearly all of the last node is in use, from the first moment on.
  const int busy = last_node(machine_);
  std::ofstream("/tmp/busy.csv") << "# charm traffic 1\nseconds,memory:" << busy << "\n1000," << 0.9 * gb_per_s(busy)
                                 << "\n";
  EXPECT_EQ(under_the_malloc("NewBlocksFollowTheTraffic"), "");
}

TEST_F(MallocLive, ABlockTakesFewMappings) { EXPECT_EQ(under_the_malloc("BlocksTakeFewMappings"), ""); }

TEST_F(MallocLive, NodesOfTheControlGroupMayChange) {
  std::ofstream("/sys/fs/cgroup/cgroup.subtree_control") << "+cpuset";
  std::system((std::string("mkdir -p ") + group).c_str());
  if (!std::ifstream(std::string(group) + "/cpuset.mems")) GTEST_SKIP() << "no control group for memory nodes";
  const std::string said = under_the_malloc("NodesAreTakenAndGivenBack");
  EXPECT_EQ(lines_with(said, "charm: malloc:"), 1) << said;
  EXPECT_NE(said.find("may not use a NUMA node of the weights"), std::string::npos) << said;
}

TEST_F(MallocLive, AFullNodeIsOneLineAndTheProgramGoesOn) {
  const int full = last_node(machine_);
  const Filled filled(full, 32 * mib);
  ASSERT_LE(free_bytes(full), 48 * mib);
  const std::string said = under_the_malloc("ABlockLargerThanTheRoom");
  EXPECT_EQ(lines_with(said, "charm: malloc:"), 1) << said;
  EXPECT_NE(said.find("node " + std::to_string(full) + " has no room for its part of a block"), std::string::npos)
      << said;
}

// What follows runs under the malloc, in processes that the tests above start.

TEST(MallocLiveChild, DISABLED_NewBlocksFollowTheTraffic) {
  stay_on_a_cpu();
  const std::map<int, double> idle = parts_of(read_page());
  const Block old(8 * mib);
  ASSERT_NE(old.data, nullptr);
  EXPECT_LT(old.off(idle), 0.01);
  const std::vector<int> before = old.homes();
  ASSERT_EQ(std::system("LD_PRELOAD= charm malloc sample --model /tmp/live-model.json --source replay:/tmp/busy.csv "
                        "--file /tmp/live-weights --seconds 300 >/tmp/sampler 2>&1 & echo $! >/tmp/sampler.pid"),
            0);
  const int busy = idle.rbegin()->first;
  double wanted = 1;
  double off = 1;
  for (int i = 0; i < 600 && (wanted > idle.at(busy) / 2 || off >= 0.01); ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(200));
    const WeightPage page = read_page();
    if (!is_sound(page) || page.sequence % 2 == 1) continue;
    wanted = parts_of(page)[busy];
    if (wanted > idle.at(busy) / 2) continue;
    off = Block(8 * mib).off(parts_of(page));
  }
  EXPECT_LT(wanted, idle.at(busy) / 2) << text_of("/tmp/sampler");
  EXPECT_LT(off, 0.01) << "new blocks do not follow the weights";
  EXPECT_EQ(old.homes(), before) << "pages that were in use have moved";
  std::system("LD_PRELOAD= kill $(cat /tmp/sampler.pid)");
}

TEST(MallocLiveChild, DISABLED_BlocksTakeFewMappings) {
  stay_on_a_cpu();
  const std::size_t nodes = parts_of(read_page()).size();
  for (const std::size_t size : {5 * mib, 32 * mib, 100 * mib, 200 * mib}) {
    const Block block(size, false);
    ASSERT_NE(block.data, nullptr);
    const auto begin = reinterpret_cast<std::uintptr_t>(block.data);
    std::size_t mappings = 0;
    std::ifstream maps("/proc/self/maps");
    for (std::string line; std::getline(maps, line);) {
      const std::uintptr_t from = std::stoull(line, nullptr, 16);
      const std::uintptr_t to = std::stoull(line.substr(line.find('-') + 1), nullptr, 16);
      mappings += from < begin + size && to > begin ? 1 : 0;
    }
    const std::size_t each = charm::memory::repeat_bytes(size);
    EXPECT_LE(mappings, nodes * std::max<std::size_t>(1, (size + each / 2) / each)) << size / mib << " MiB";
    EXPECT_GE(mappings, 2U) << "nothing was spread";
  }
}

TEST(MallocLiveChild, DISABLED_NodesAreTakenAndGivenBack) {
  stay_on_a_cpu();
  const std::map<int, double> parts = parts_of(read_page());
  const int first = parts.begin()->first;
  const int last = parts.rbegin()->first;
  const auto allow = [](const std::string& nodes) {
    std::ofstream file(std::string(group) + "/cpuset.mems");
    file << nodes << std::flush;
    return file.good();
  };
  ASSERT_TRUE(allow(std::to_string(first) + "-" + std::to_string(last)));
  std::ofstream(std::string(group) + "/cgroup.procs") << getpid() << std::flush;
  EXPECT_LT(Block(8 * mib).off(parts), 0.01);
  Block early(8 * mib, false);  // placed now, and touched when the nodes have come back
  ASSERT_NE(early.data, nullptr);
  ASSERT_TRUE(allow(std::to_string(first)));
  for (int i = 0; i < 2; ++i) {
    const Block block(8 * mib);
    ASSERT_NE(block.data, nullptr);
    const std::vector<int> homes = block.homes();
    EXPECT_EQ(std::count(homes.begin(), homes.end(), first), static_cast<long>(homes.size()));
  }
  ASSERT_TRUE(allow(std::to_string(first) + "-" + std::to_string(last)));
  EXPECT_LT(Block(8 * mib).off(parts), 0.01);
  early.touch();
  EXPECT_LT(early.off(parts), 0.01) << "the kernel has forgotten the nodes that were taken away";
  std::ofstream("/sys/fs/cgroup/cgroup.procs") << getpid() << std::flush;
}

TEST(MallocLiveChild, DISABLED_ABlockLargerThanTheRoom) {
  stay_on_a_cpu();
  const std::map<int, double> parts = parts_of(read_page());
  const int full = parts.rbegin()->first;
  const std::size_t part = 96 * mib;
  Block block(static_cast<std::size_t>(static_cast<double>(part) / parts.at(full)), false);
  ASSERT_NE(block.data, nullptr);
  const std::size_t room = free_bytes(full);
  block.touch();
  std::map<int, std::size_t> bytes;
  for (const int node : block.homes()) bytes[node] += page_bytes;
  // The kernel takes what is free but its reserve, the pages that each cpu has kept for itself, and what it can reclaim
  // (12 MiB were seen); what does not fit lies on the other nodes.
  std::printf("of %zu KiB that were free of node %d the block has %zu, the kernel keeps %zu\n", room / 1024, full,
              bytes[full] / 1024, low_watermark(full) / 1024);
  EXPECT_LT(room, part / 2);
  EXPECT_GT(bytes[full], room / 2);
  EXPECT_LT(bytes[full], part - part / 4);
  std::size_t all = 0;
  for (const auto& [node, has] : bytes) {
    EXPECT_TRUE(parts.contains(node)) << "node " << node;
    all += has;
    if (node != full) {
      EXPECT_GT(static_cast<double>(has), 0.99 * parts.at(node) * static_cast<double>(block.bytes)) << "node " << node;
    }
  }
  EXPECT_GE(all, block.bytes);
}

}  // namespace
}  // namespace malloc_live
