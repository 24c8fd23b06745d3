#include "sched/run/gate.hpp"

#include <atomic>
#include <cstddef>
#include <thread>

#include "assertion.hpp"
#include "sched/run/runtime.hpp"

namespace {

using charm::sched::Gate;
using charm::sched::Runtime;
using Purpose = Gate::Purpose;

/// The gate never follows the pointer.
class GateTest : public testing::Test {
 protected:
  Gate gate;
  alignas(Runtime) std::byte memory[2][sizeof(Runtime)];
  Runtime& runtime = *reinterpret_cast<Runtime*>(memory[0]);
  Runtime& other = *reinterpret_cast<Runtime*>(memory[1]);
};
using GateDeathTest = GateTest;

TEST_F(GateTest, IsOpenFromTheStartToFinalizeAndForReportsUntilTheEnd) {
  EXPECT_EQ(gate.enter(Purpose::use), nullptr);
  gate.announce(runtime);
  EXPECT_EQ(gate.enter(Purpose::use), nullptr);
  EXPECT_FALSE(gate.anybody_inside()) << "who was refused is not counted";
  gate.open(runtime);
  EXPECT_EQ(gate.enter(Purpose::use), &runtime);
  EXPECT_TRUE(gate.anybody_inside());
  gate.leave();
  EXPECT_EQ(gate.close(), &runtime);
  EXPECT_EQ(gate.enter(Purpose::use), nullptr);
  EXPECT_EQ(gate.enter(Purpose::report), &runtime);
  gate.leave();
  gate.withdraw();
  EXPECT_EQ(gate.enter(Purpose::report), nullptr);
  EXPECT_FALSE(gate.anybody_inside());
}

TEST_F(GateTest, WithdrawWaitsForThoseInside) {
  gate.announce(runtime);
  gate.open(runtime);
  ASSERT_EQ(gate.enter(Purpose::use), &runtime);
  std::atomic<bool> gone{false};
  std::thread ends([&] {
    gate.close();
    gate.withdraw();
    gone = true;
  });
  while (gate.existing() != nullptr) std::this_thread::yield();
  EXPECT_FALSE(gone) << "the runtime goes while a visitor uses it";
  gate.leave();
  ends.join();
  EXPECT_TRUE(gone);
}

TEST_F(GateTest, AChildOfForkHasNoRuntime) {
  gate.announce(runtime);
  gate.open(runtime);
  gate.enter_unasked();  // by a thread that the child does not have
  EXPECT_EQ(gate.forget(), &runtime);
  EXPECT_EQ(gate.existing(), nullptr);
  EXPECT_FALSE(gate.anybody_inside());
}

TEST_F(GateDeathTest, KeepsTheOrderOfARuntimesLife) {
  NEEDS_ASSERTIONS();
  EXPECT_ASSERTION(gate.open(runtime), "a runtime is announced before it is opened");
  EXPECT_ASSERTION(gate.leave(), "only a thread that has entered leaves");
  gate.announce(runtime);
  EXPECT_ASSERTION(gate.announce(other), "one runtime exists at a time");
  gate.open(runtime);
  EXPECT_ASSERTION(gate.withdraw(), "the gate is closed before the runtime goes");
}

}  // namespace
