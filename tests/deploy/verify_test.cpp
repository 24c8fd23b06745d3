// Bindings as /proc tells them, in a tree by hand: of machines with several nodes, which this one need not be.
#include "tools/deploy/verify.hpp"

#include <csignal>
#include <optional>
#include <string>

#include <gtest/gtest.h>

#include "base/folder.hpp"
#include "os/threads/affinity.hpp"
#include "tools/os/service.hpp"

namespace {

using namespace charm;
using namespace charm::deploy;

class Verification : public testing::Test {
 protected:
  Verification() {
    worker_.name = "w0";
    worker_.cpus = CpuSet{8, 9, 10, 11};
    worker_.nodes = OsNodeSet{1};
    worker_.memory = deploy::Memory::bind;
    thread(700, "8-11");
    maps(
        "7f00 bind:1 anon=3 dirty=3 N1=3 kernelpagesize_kB=4\n"
        "7f10 bind:1 file=/usr/lib/libc.so.6 mapped=9 N0=9 kernelpagesize_kB=4\n"
        "7f20 bind:1 heap anon=2 N1=2 kernelpagesize_kB=4\n");
  }
  void thread(int tid, const std::string& cpus) const {
    proc_.file("proc/700/task/" + std::to_string(tid) + "/status", "Name:\tx\nCpus_allowed_list:\t" + cpus + "\n");
  }
  void maps(const std::string& text) const { proc_.file("proc/700/numa_maps", text); }
  [[nodiscard]] Verified verified() const { return verify_worker(worker_, {{700, 1}}, proc_.root()); }
  [[nodiscard]] std::string problem() const {
    const Verified all = verified();
    return all.problems.size() == 1 ? all.problems.front() : std::to_string(all.problems.size()) + " problems";
  }

  Worker worker_;
  ::charm::test::Folder proc_;
};

TEST_F(Verification, AcceptsThreadsWithinTheMaskAndMemoryOnTheNode) {
  thread(701, "9");
  const Verified all = verified();
  EXPECT_TRUE(all.problems.empty()) << all.problems.front();
  EXPECT_EQ(all.threads, 2U);
  EXPECT_EQ(all.bytes.at(1), 5U * 4096);
  EXPECT_FALSE(all.bytes.contains(0)) << "pages of files are whose read them first";
}

TEST_F(Verification, NamesAThreadBeyondTheMask) {
  thread(701, "9,12");
  EXPECT_EQ(problem(), "thread 701 of process 700 may run on cpus 9,12, planned are 8-11");
}

TEST_F(Verification, NamesAnotherMemoryPolicy) {
  maps("7f00 default anon=3 N1=3 kernelpagesize_kB=4\n7f20 interleave:0-1 heap anon=2 N1=2 kernelpagesize_kB=4\n");
  EXPECT_EQ(verified().problems.size(), 2U);
  maps("7f00 bind:0-1 anon=3 N1=3 kernelpagesize_kB=4\n");
  EXPECT_EQ(problem(), "1 mapping of process 700 has the memory policy 'bind:0-1', planned is to bind to node 1");
}

TEST_F(Verification, NamesPagesElsewhere) {
  maps("7f00 bind:1 anon=3 N0=1 N1=2 kernelpagesize_kB=2048\n");
  EXPECT_EQ(problem(), "2 MiB of process 700 lie on node 0, planned is to bind to node 1");
  maps("7f00 bind:1 file=/dev/zero\\040(deleted) dirty=3 N0=1 kernelpagesize_kB=4\n");
  EXPECT_EQ(verified().problems.size(), 1U) << "shared memory is the worker's own";
}

TEST_F(Verification, LetsAPreferenceYield) {
  worker_.memory = deploy::Memory::preferred;
  maps("7f00 prefer:1 anon=3 N0=1 N1=2 kernelpagesize_kB=4\n");
  EXPECT_TRUE(verified().problems.empty());
  maps("7f00 bind:1 anon=3 N1=2 kernelpagesize_kB=4\n");
  EXPECT_EQ(verified().problems.size(), 1U);
}

TEST_F(Verification, KnowsPagesByWeights) {
  worker_.memory = deploy::Memory::weighted;
  maps("7f00 weighted interleave:1 anon=3 N1=2 kernelpagesize_kB=4\n");
  EXPECT_TRUE(verified().problems.empty()) << problem();
  maps("7f00 interleave:1 anon=3 N1=2 kernelpagesize_kB=4\n");
  EXPECT_EQ(problem(),
            "1 mapping of process 700 has the memory policy 'interleave:1', planned is to interleave by weights over "
            "nodes 1");
}

TEST_F(Verification, AsksNothingOfMemoryThatIsNotBound) {
  worker_.memory = deploy::Memory::none;
  maps("7f00 default anon=3 N0=1 N1=2 kernelpagesize_kB=4\n");
  EXPECT_TRUE(verified().problems.empty());
}

TEST_F(Verification, FindsThatAWorkerDoesNotRun) {
  EXPECT_EQ(verify_worker(worker_, {}, proc_.root()).problems.size(), 1U);
}

TEST(Service, IsOnlySignalledWhereItsStartTimeIsTheOneThatIsKnown) {
  const test::Folder folder;
  os::ServiceStart start;
  start.words = {"sleep", "1000"};
  start.folder = folder.path();
  start.log = folder.path("log");
  start.cpus = os::allowed_cpus();
  const os::ProcessIdentity process = os::start_service(start);
  EXPECT_FALSE(os::signal_process({process.pid, process.started + 1}, SIGKILL));
  EXPECT_TRUE(os::Processes().alive(process));
  EXPECT_TRUE(os::signal_process(process, SIGKILL));
  std::optional<os::ServiceEnded> ended;
  while (!ended) ended = os::service_ended(process.pid);
  EXPECT_EQ(ended->signal, SIGKILL);
  EXPECT_FALSE(os::signal_process(process, SIGKILL));
}

}  // namespace
