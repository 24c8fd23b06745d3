// The affinity mask of the thread that calls init(): its own outside of the library, its worker's inside.
#include <charm/charm.hpp>

#include <functional>
#include <optional>
#include <thread>
#include <vector>

#include <gtest/gtest.h>

#include "os/threads/affinity.hpp"
#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"

namespace {

using charm::CpuSet;
using charm::test::FakeKernel;

constexpr const char* two_chiplets = "pack:1 l3:2 core:2 pu:1";
const CpuSet all = {0, 1, 2, 3};

/// A runtime on a machine of paper with a kernel of paper, started by the thread of the test, which works as worker 0.
/// The kernel does not say where the thread is, so it is bound as soon as it arrives.
class Lent {
 public:
  explicit Lent(const std::function<void(charm::Config&)>& change = {}) : kernel(4) {
    charm::Config config;
    config.workers = 2;
    config.topology = two_chiplets;
    config.policy = "local";
    config.counters = "none";
    if (change) change(config);
    runtime_ = new charm::sched::Runtime(config, kernel.watch());  // the gate owns it
  }
  ~Lent() {
    charm::finalize();
    EXPECT_EQ(kernel.mask_of(std::this_thread::get_id()), expected_after) << "after finalize()";
  }
  /// The mask that this thread has in tasks, once it has been lent.
  CpuSet inside() {
    const auto me = std::this_thread::get_id();
    for (;;) {
      const std::optional<CpuSet> mask = charm::run([&]() -> std::optional<CpuSet> {
        if (std::this_thread::get_id() != me) return std::nullopt;  // worker 0 was not free
        return kernel.mask_of(me);
      });
      // Not before its own thread has found its core is there anything to be bound to.
      if (mask && mask->size() == 1) return *mask;
      std::this_thread::yield();
    }
  }
  CpuSet outside() { return kernel.mask_of(std::this_thread::get_id()); }
  FakeKernel kernel;
  CpuSet expected_after = all;

 private:
  charm::sched::Runtime* runtime_;
};

TEST(CallerMask, IsTheWorkersInsideAndItsOwnOutside) {
  Lent lent;
  for (int i = 0; i < 20; ++i) {
    EXPECT_EQ(lent.outside(), all);
    EXPECT_EQ(lent.inside(), CpuSet{charm::worker_cores()[0].cpu});
    EXPECT_EQ(lent.outside(), all);
  }
}

TEST(CallerMask, StaysTheWorkersWhereTheSettingSaysSo) {
  Lent lent([](charm::Config& config) { config.caller_mask = "worker"; });
  const CpuSet worker = lent.inside();
  EXPECT_EQ(lent.outside(), worker);
  // Of this thread alone: the other worker may come only now, and binds itself.
  const auto me = std::this_thread::get_id();
  const int binds = lent.kernel.binds_of(me);
  EXPECT_EQ(lent.inside(), worker);
  EXPECT_EQ(lent.kernel.binds_of(me), binds) << "it was bound already";
}

TEST(CallerMask, ThatWasSetFromOutsideMeanwhileStays) {
  Lent lent;
  lent.inside();
  const auto me = std::this_thread::get_id();
  for (bool set = false; !set;) {
    set = charm::run([&] {
      if (std::this_thread::get_id() != me || lent.kernel.mask_of(me).size() != 1) return false;
      lent.kernel.set_all_masks({2, 3});
      return true;
    });
  }
  EXPECT_EQ(lent.outside(), (CpuSet{2, 3}));
  lent.expected_after = {2, 3};
}

TEST(CallerMask, ComesBackWhereTheKernelHasTakenTheCpuAway) {
  Lent lent;
  lent.inside();
  const auto me = std::this_thread::get_id();
  for (bool set = false; !set;) {
    set = charm::run([&] {
      const CpuSet mask = lent.kernel.mask_of(me);
      if (std::this_thread::get_id() != me || mask.size() != 1) return false;
      CpuSet rest = all;
      rest.erase(mask.front());
      lent.kernel.set_cpuset(rest);
      return true;
    });
  }
  lent.kernel.set_cpuset(all);
  EXPECT_EQ(lent.outside(), all) << "it remembers a single cpu";
}

TEST(CallerMask, OfARealThreadIsItsOwnAndItsThreadsInheritIt) {
  const CpuSet before = charm::os::allowed_cpus();
  charm::Config config;
  config.watch_ms = 0;  // else a worker that other programs keep off its core may use its whole chiplet
  charm::init(config);
  const auto me = std::this_thread::get_id();
  for (bool lent = false; !lent;) {
    // Long enough to be bound: a mask of one cpu, unless the policy binds nobody or there is only one.
    lent = charm::run([&] {
      if (std::this_thread::get_id() != me) return false;
      while (charm::os::allowed_cpus().size() != 1) charm::parallel_for(0, 1000, [](int) { charm::yield(); });
      return true;
    });
    EXPECT_EQ(charm::os::allowed_cpus(), before);
    CpuSet inherited;
    std::thread([&] { inherited = charm::os::allowed_cpus(); }).join();
    EXPECT_EQ(inherited, before);
  }
  charm::finalize();
  EXPECT_EQ(charm::os::allowed_cpus(), before);
}

}  // namespace
