// `charm run --mirror` on a kernel with several nodes: whichever node a process runs on, the file's pages are there.
#include <charm/machine.hpp>

#include <cstdlib>
#include <fcntl.h>
#include <fstream>
#include <string>
#include <unistd.h>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "os/memory/node_memory.hpp"
#include "tools/os/numa_maps.hpp"

namespace {

constexpr std::size_t model_bytes = std::size_t{16} << 20U;
constexpr const char* model = "/tmp/model";

TEST(Mirror, EachProcessHasTheFilesPagesOnItsNode) {
  const charm::Machine machine = charm::Machine::discover();
  if (machine.nodes.size() < 2 || !std::ifstream("/bin/libcharm_mirror.so")) GTEST_SKIP() << "one node, or no library";
  std::ofstream(model) << std::string(model_bytes, 'm');
  for (const charm::Node& node : machine.nodes) {
    if (node.cpus.empty()) continue;
    setenv("WANTED_NODE", std::to_string(node.os_index).c_str(), 1);
    EXPECT_EQ(std::system(("charm run -q --cpus " + node.cpus.to_text() + " --mirror " + model +
                           " -- vm_guest_test --gtest_brief=1 --gtest_also_run_disabled_tests "
                           "--gtest_filter=MirrorChild.DISABLED_ReadsAllFromItsNode")
                              .c_str()),
              0)
        << "node " << node.os_index;
  }
  unlink(model);
}

TEST(MirrorChild, DISABLED_ReadsAllFromItsNode) {
  const int file = open(model, O_RDONLY);
  ASSERT_GE(file, 0);
  const auto* data = static_cast<const char*>(mmap(nullptr, model_bytes, PROT_READ, MAP_SHARED, file, 0));
  ASSERT_NE(data, MAP_FAILED);
  close(file);
  for (std::size_t at = 0; at < model_bytes; at += 512) ASSERT_EQ(data[at], 'm');
  const auto maps = charm::os::numa_maps(getpid());
  ASSERT_TRUE(maps);
  std::uint64_t near = 0, far = 0;
  for (const auto& mapping : *maps) {
    if (mapping.what.find(model) == std::string::npos) continue;
    for (const auto& [node, bytes] : mapping.bytes)
      (node == std::atoi(std::getenv("WANTED_NODE")) ? near : far) += bytes;
  }
  EXPECT_EQ(near, model_bytes);
  EXPECT_EQ(far, 0U);
}

}  // namespace
