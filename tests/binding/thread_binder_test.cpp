// The one binder under both kernels that tests have: that of workers which bind themselves, and that of a program whose
// threads are bound from outside. Generations, levels, refusals and turns are random.
#include "binding/thread_binder.hpp"

#include <algorithm>
#include <cstddef>
#include <map>
#include <memory>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "attach/fake_system.hpp"
#include "binding/generation.hpp"
#include "binding/masks.hpp"
#include "placement/machines.hpp"
#include "sched/fake_cpus.hpp"

namespace {

using charm::binding::Bind;
using charm::binding::PlacementGeneration;
using charm::binding::ThreadBinder;
using charm::placement::CpuClaims;
using State = ThreadBinder::State;
using Cpus = charm::CpuSet;

/// Threads 0 .. n-1, each of which binds itself.
class SelfBound {
 public:
  SelfBound(const charm::Machine& machine, int threads) : kernel_(machine.allowed_cpus.back() + 1) {
    for (int t = 0; t < threads; ++t) {
      watches_.push_back(kernel_.watch_of(t + 1));
      watches_.back()->bind(machine.allowed_cpus);
    }
  }
  bool bind(int thread, const Cpus& cpus) { return watches_[static_cast<std::size_t>(thread)]->bind(cpus); }
  Cpus mask(int thread) { return kernel_.mask_of(thread + 1); }

 private:
  charm::test::FakeKernel kernel_;
  std::vector<std::unique_ptr<charm::os::CpuWatch>> watches_;
};

/// Threads of another program.
class BoundFromOutside {
 public:
  BoundFromOutside(const charm::Machine& machine, int threads) : program_(machine.allowed_cpus) {
    for (int t = 0; t < threads; ++t) ids_.push_back({1, program_.start(1.0)});
  }
  bool bind(int thread, const Cpus& cpus) { return program_.bind(id(thread), cpus) == 0; }
  Cpus mask(int thread) { return program_.mask(id(thread)); }

 private:
  [[nodiscard]] const charm::attach::ThreadId& id(int thread) const { return ids_[static_cast<std::size_t>(thread)]; }
  charm::test::FakeProgram program_;
  std::vector<charm::attach::ThreadId> ids_;
};

Cpus any_cpus_of(const charm::Machine& machine) {
  Cpus cpus;
  for (const int cpu : machine.allowed_cpus) {
    if (*rc::gen::inRange(0, 3) != 0) cpus.insert(cpu);
  }
  return cpus.size() < 2 ? machine.allowed_cpus : cpus;  // on a single cpu nobody can float
}

/// Threads on a machine, and what must hold of them after every step.
template <class Kernel>
class World {
 public:
  World(const charm::Machine& machine, int threads)
      : machine_(machine), kernel_(machine, threads), claims_(machine), now_(static_cast<std::size_t>(threads)) {
    for (int t = 0; t < threads; ++t) binders_.push_back(std::make_unique<ThreadBinder>(claims_, t, 3));
    next_generation(false);
  }

  void next_generation(bool may_share) {
    charm::placement::Request request;
    request.workers = static_cast<int>(binders_.size());
    request.share_cores = may_share && *rc::gen::arbitrary<bool>();
    const auto spec = *rc::gen::element<std::string>("local", "distributed", "numa");
    generation_ = charm::binding::make_generation(
        {machine_, spec, request, any_cpus_of(machine_), {}, std::vector<charm::WorkerCore>(binders_.size())});
  }
  [[nodiscard]] const std::vector<int>& levels() const { return generation_.placement.levels; }

  /// One attempt of a thread. \param refusals of 4: how often the kernel refuses.
  State step(int thread, int spread, Bind mode, int refusals) {
    ThreadBinder& binder = *binders_[static_cast<std::size_t>(thread)];
    const Cpus before = kernel_.mask(thread);
    const int held = binder.claimed();
    bool agreed = false;
    const auto bind = [&](const Cpus& cpus) {
      RC_ASSERT((held == CpuClaims::free_cpu || claims_.owner(held) == thread));  // not released before the bind
      if (refusals > 0 && *rc::gen::inRange(0, 4) < refusals) return false;
      agreed = kernel_.bind(thread, cpus);
      RC_ASSERT(agreed);
      return true;
    };
    Now& now = now_[static_cast<std::size_t>(thread)];
    const charm::WorkerCore* core = generation_.worker_core(thread, spread);
    State state = State::placed;
    if (core == nullptr) {
      if (binder.unplace(generation_.cpus, bind)) now = {};
    } else {
      const Cpus mask = charm::binding::mask_for(machine_, *core, mode, generation_.cpus);
      const Cpus floating = charm::binding::floating_mask(machine_, *core, generation_.cpus);
      state = binder.place({core->cpu, generation_.shared, mask, floating}, bind);
      if (state == State::placed) {
        RC_ASSERT(agreed);
        RC_ASSERT(kernel_.mask(thread) == mask);
        RC_ASSERT(binder.is_on(core->cpu, generation_.shared));
        now = {generation_.shared, false};
      } else if (agreed) {
        now = {false, true};
      }
      if (state == State::floating && agreed) {
        RC_ASSERT(kernel_.mask(thread) == floating);
        RC_ASSERT(binder.claimed() == CpuClaims::free_cpu);
      }
    }
    if (!agreed) {  // it keeps what it had
      RC_ASSERT(kernel_.mask(thread) == before);
      RC_ASSERT(binder.claimed() == held);
    }
    check();
    return state;
  }

  /// Everybody tries in turn until all are where they belong.
  bool settles(int spread) {
    for (std::size_t round = 0; round < 2 * binders_.size() + 8; ++round) {
      bool all = true;
      for (int t = 0; t < static_cast<int>(binders_.size()); ++t)
        all = step(t, spread, Bind::core, 0) == State::placed && all;
      if (all) return true;
    }
    return false;
  }

 private:
  struct Now {
    bool shares = false;
    bool floats = false;
  };

  void check() {
    std::map<int, int> alone;  // threads without partners that are bound to the cpu and nothing else
    for (int t = 0; t < static_cast<int>(binders_.size()); ++t) {
      const Now& now = now_[static_cast<std::size_t>(t)];
      const Cpus mask = kernel_.mask(t);
      const int held = binders_[static_cast<std::size_t>(t)]->claimed();
      if (held != CpuClaims::free_cpu) {
        RC_ASSERT(claims_.owner(held) == t);
        RC_ASSERT(mask.contains(held));
      }
      if (now.floats) RC_ASSERT(mask.size() > 1U);
      if (!now.shares && mask.size() == 1) RC_ASSERT(++alone[mask.front()] == 1);
    }
  }

  const charm::Machine& machine_;
  Kernel kernel_;
  CpuClaims claims_;
  std::vector<std::unique_ptr<ThreadBinder>> binders_;
  std::vector<Now> now_;
  PlacementGeneration generation_;
};

template <class Kernel>
class ThreadBinders : public testing::Test {};
using Kernels = testing::Types<SelfBound, BoundFromOutside>;
TYPED_TEST_SUITE(ThreadBinders, Kernels);

TYPED_TEST(ThreadBinders, NoTwoThreadsAreBoundToACoreWhateverChanges) {
  EXPECT_TRUE(rc::check([] {
    const charm::Machine machine = *charm::test::any_machine();
    RC_PRE(machine.cores.size() > 1U);
    const int threads = *rc::gen::inRange(1, std::min(24, static_cast<int>(machine.cores.size()) + 3));
    World<TypeParam> world(machine, threads);
    const bool may_share = *rc::gen::arbitrary<bool>();
    const Bind mode = *rc::gen::element(Bind::core, Bind::core, Bind::chiplet, Bind::node);
    const int refusals = *rc::gen::element(0, 1, 3);
    for (int i = 0; i < 120; ++i) {
      if (*rc::gen::inRange(0, 12) == 0) world.next_generation(may_share);
      world.step(*rc::gen::inRange(0, threads), *rc::gen::elementOf(world.levels()), mode, refusals);
    }
    // The kernel agrees again, and nothing changes any more.
    RC_ASSERT(world.settles(world.levels().front()));
  }));
}

/// Give up, then float: two threads exchange the two cores of a chiplet.
TYPED_TEST(ThreadBinders, AThreadThatWaitsOnAChipletOfTwoCoresIsNotLeftOnTheOther) {
  const charm::Machine machine = charm::test::uniform(1, 2, 2);
  TypeParam kernel(machine, 2);
  CpuClaims claims(machine);
  ThreadBinder a(claims, 0, 1), b(claims, 1, 1);
  const auto to = [&](ThreadBinder& binder, int thread, int cpu) {
    charm::WorkerCore core;
    core.core = core.cpu = cpu;
    core.chiplet = cpu / 2;
    const Cpus mask = {cpu}, floating = charm::binding::floating_mask(machine, core, machine.allowed_cpus);
    return binder.place({cpu, false, mask, floating}, [&](const Cpus& cpus) { return kernel.bind(thread, cpus); });
  };
  ASSERT_EQ(to(a, 0, 0), State::placed);
  ASSERT_EQ(to(b, 1, 1), State::placed);
  EXPECT_EQ(to(a, 0, 1), State::floating);
  EXPECT_EQ(kernel.mask(0), machine.allowed_cpus) << "cpu 0 alone is the other's now";
  EXPECT_EQ(to(b, 1, 0), State::placed);
  EXPECT_EQ(kernel.mask(1), Cpus{0});
  EXPECT_EQ(to(a, 0, 1), State::placed);
  EXPECT_EQ(kernel.mask(0), Cpus{1});
}

TYPED_TEST(ThreadBinders, AFloatingThreadFollowsTheCpusThatAreAllowed) {
  const charm::Machine machine = charm::test::uniform(1, 2, 4);
  TypeParam kernel(machine, 1);
  CpuClaims claims(machine);
  ASSERT_TRUE(claims.claim(4, 99));
  ThreadBinder binder(claims, 0, 1);
  const Cpus mask = {4}, wide = {5, 6, 7}, narrow = {6, 7};
  const auto bind = [&](const Cpus& cpus) { return kernel.bind(0, cpus); };
  EXPECT_EQ(binder.place({4, false, mask, wide}, bind), State::floating);
  EXPECT_EQ(kernel.mask(0), wide);
  EXPECT_EQ(binder.place({4, false, mask, narrow}, bind), State::floating);
  EXPECT_EQ(kernel.mask(0), narrow);
  EXPECT_EQ(binder.place({4, false, mask, wide}, bind), State::floating);
  EXPECT_EQ(kernel.mask(0), wide);
}

/// One thread whose cpu 4 another has claimed.
template <class Kernel>
struct Waiting {
  const charm::Machine machine = charm::test::uniform(1, 2, 4);
  Kernel kernel{machine, 1};
  CpuClaims claims{machine};
  ThreadBinder binder{claims, 0, 1};
  const Cpus floating = {5, 6, 7};

  Waiting() { EXPECT_TRUE(claims.claim(4, 99)); }
  State place(int cpu, bool shared = false) {
    const Cpus mask = {cpu};
    return binder.place({cpu, shared, mask, floating}, [this](const Cpus& cpus) { return kernel.bind(0, cpus); });
  }
};

TYPED_TEST(ThreadBinders, IsBoundAnewAfterItsMaskWasSetFromOutside) {
  Waiting<TypeParam> one;
  ASSERT_EQ(one.place(4), State::floating);
  ASSERT_TRUE(one.kernel.bind(0, {0, 1}));
  one.binder.forget();
  EXPECT_EQ(one.place(4), State::floating);
  EXPECT_EQ(one.kernel.mask(0), one.floating);
}

TYPED_TEST(ThreadBinders, LeavesASharedCpuWhenItIsTakenAway) {
  Waiting<TypeParam> one;
  ASSERT_EQ(one.place(1, true), State::placed);
  EXPECT_TRUE(one.binder.is_on(1, true));
  one.binder.forget();
  EXPECT_FALSE(one.binder.is_on(1, true));
  ASSERT_EQ(one.place(1, true), State::placed);
  EXPECT_TRUE(one.binder.unplace(one.machine.allowed_cpus, [&](const Cpus& cpus) { return one.kernel.bind(0, cpus); }));
  EXPECT_FALSE(one.binder.is_on(1, true));
  EXPECT_EQ(one.kernel.mask(0), one.machine.allowed_cpus);
  ASSERT_EQ(one.place(1, true), State::placed);
  one.claims.release(4, 99);
  ASSERT_EQ(one.place(4), State::placed);
  EXPECT_FALSE(one.binder.is_on(1, true)) << "it has a cpu of its own now";
}

TYPED_TEST(ThreadBinders, FloatsAnewAfterItHadACpu) {
  Waiting<TypeParam> one;
  for (int round = 0; round < 3; ++round) {
    ASSERT_EQ(one.place(4), State::floating);
    EXPECT_EQ(one.kernel.mask(0), one.floating);
    EXPECT_FALSE(one.binder.is_on(1, true));
    const bool shared = round != 1;  // takes turns on it, or has it alone
    ASSERT_EQ(one.place(1, shared), State::placed);
    EXPECT_EQ(one.kernel.mask(0), Cpus{1});
    EXPECT_TRUE(one.binder.is_on(1, shared));
  }
}

TYPED_TEST(ThreadBinders, ACpuBeyondThoseThatWereCountedIsNotClaimed) {
  const charm::Machine machine = charm::test::uniform(1, 2, 4);
  TypeParam kernel(machine, 1);
  CpuClaims claims(4);
  ThreadBinder binder(claims, 0);
  const Cpus mask = {4}, last = {3}, floating = {5, 6, 7};
  const auto bind = [&](const Cpus& cpus) { return kernel.bind(0, cpus); };
  ASSERT_EQ(binder.place({3, false, last, floating}, bind), State::placed);
  EXPECT_EQ(binder.claimed(), 3);
  ASSERT_EQ(binder.place({4, false, mask, floating}, bind), State::placed);
  EXPECT_EQ(binder.claimed(), CpuClaims::free_cpu);
  EXPECT_TRUE(binder.is_on(4, false));
}

TYPED_TEST(ThreadBinders, ACoreIsKeptWhereTheKernelRefusesToTakeItAway) {
  const charm::Machine machine = charm::test::uniform(1, 2, 4);
  TypeParam kernel(machine, 1);
  CpuClaims claims(machine);
  ThreadBinder binder(claims, 0);
  const Cpus mask = {4}, floating = {5, 6, 7}, shared = {1};
  const auto bind = [&](const Cpus& cpus) { return kernel.bind(0, cpus); };
  const auto refuse = [](const Cpus&) { return false; };
  ASSERT_EQ(binder.place({4, false, mask, floating}, bind), State::placed);
  EXPECT_FALSE(binder.unplace(machine.allowed_cpus, refuse));
  EXPECT_EQ(binder.place({1, true, shared, floating}, refuse), State::waiting);
  EXPECT_EQ(claims.owner(4), 0) << "it is still bound there";
  EXPECT_EQ(binder.place({1, true, shared, floating}, bind), State::placed);
  EXPECT_EQ(claims.owner(4), CpuClaims::free_cpu);
}

}  // namespace
