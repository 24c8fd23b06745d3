// `charm attach --pages`: the pages of a program on a node that its threads have left go after them.
#include <charm/machine.hpp>

#include <csignal>
#include <cstdlib>
#include <fstream>
#include <map>
#include <string>
#include <thread>

#include <gtest/gtest.h>
#include <sys/mman.h>

#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "tools/os/numa_maps.hpp"
#include "vm/neighbours.hpp"

namespace {

using charm::test::in_the_end;

constexpr std::size_t mib = std::size_t{1} << 20U;
constexpr std::size_t bytes = 64 * mib;

/// A process with two threads that compute and 64 MiB that its first thread has touched on the machine's last node.
class Holder {
 public:
  explicit Holder(const charm::Machine& machine, bool own_policy = false) {
    pid_ = fork();
    if (pid_ != 0) return;
    charm::os::bind_this_thread(machine.nodes.back().cpus);
    auto* block = static_cast<char*>(mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0));
    if (own_policy) charm::os::prefer_node(block, bytes, machine.nodes.back().os_index);
    for (std::size_t at = 0; at < bytes; at += 4096) block[at] = 1;
    std::thread([] {
      for (;;) {
      }
    }).detach();
    for (;;) {
    }
  }
  ~Holder() {
    kill(pid_, SIGKILL);
    waitpid(pid_, nullptr, 0);
  }
  Holder(const Holder&) = delete;
  Holder& operator=(const Holder&) = delete;
  [[nodiscard]] int pid() const { return pid_; }
  /// MiB on a node, by numa_maps.
  [[nodiscard]] std::size_t on(int node) const {
    std::uint64_t sum = 0;
    const auto maps = charm::os::numa_maps(pid_);
    if (!maps) return 0;
    for (const auto& mapping : *maps) {
      const auto found = mapping.bytes.find(node);
      if (found != mapping.bytes.end() && mapping.what.empty()) sum += found->second;
    }
    return sum / mib;
  }

 private:
  int pid_ = 0;
};

class AttachPages : public testing::Test {
 protected:
  void SetUp() override {
    machine_ = charm::Machine::discover();
    first_ = machine_.nodes.front().os_index;
    last_ = machine_.nodes.back().os_index;
    if (machine_.nodes.size() < 2 || machine_.nodes.back().cpus.empty()) GTEST_SKIP() << "for two nodes with cpus";
    std::ofstream("/proc/sys/kernel/numa_balancing") << 0;
  }
  void TearDown() override { std::system("kill $(cat /tmp/attach.pid) 2>/dev/null; rm -f /tmp/attach.pid"); }
  void attach(const Holder& holder, const std::string& options) {
    const std::string line = "charm attach --share off --policy local --cpus node:0 " + options + " " +
                             std::to_string(holder.pid()) + " 2>/tmp/said & echo $! >/tmp/attach.pid";
    ASSERT_EQ(std::system(line.c_str()), 0);
  }
  charm::Machine machine_;
  int first_ = 0, last_ = 0;
};

TEST_F(AttachPages, GoAfterTheThreadsThatWereMoved) {
  const Holder holder(machine_);
  ASSERT_TRUE(in_the_end([&] { return holder.on(last_) >= 64; })) << holder.on(last_);
  attach(holder, "--pages once");
  EXPECT_TRUE(in_the_end([&] { return holder.on(first_) >= 64; })) << holder.on(first_) << " and " << holder.on(last_);
}

TEST_F(AttachPages, StayUnlessItIsAsked) {
  const Holder holder(machine_);
  ASSERT_TRUE(in_the_end([&] { return holder.on(last_) >= 64; })) << holder.on(last_);
  attach(holder, "");
  std::this_thread::sleep_for(std::chrono::seconds(10));
  EXPECT_GE(holder.on(last_), 64U);
}

TEST_F(AttachPages, WithAPolicyOfTheProgramStay) {
  const Holder holder(machine_, true);
  ASSERT_TRUE(in_the_end([&] { return holder.on(last_) >= 64; })) << holder.on(last_);
  attach(holder, "--pages follow");
  std::this_thread::sleep_for(std::chrono::seconds(10));
  EXPECT_GE(holder.on(last_), 64U);
}

TEST_F(AttachPages, AreLeftToTheKernelWhereItBalances) {
  std::ofstream balancing("/proc/sys/kernel/numa_balancing");
  if (!(balancing << 1 << std::flush)) GTEST_SKIP() << "this kernel does not balance";
  const Holder holder(machine_);
  ASSERT_TRUE(in_the_end([&] { return holder.on(last_) + holder.on(first_) >= 64; }));
  attach(holder, "--pages follow");
  std::this_thread::sleep_for(std::chrono::seconds(6));
  std::system("kill -INT $(cat /tmp/attach.pid); sleep 1");
  std::ifstream said("/tmp/said");
  const std::string text((std::istreambuf_iterator<char>(said)), {});
  EXPECT_NE(text.find("NUMA balancing moves pages itself"), std::string::npos) << text;
}

}  // namespace
