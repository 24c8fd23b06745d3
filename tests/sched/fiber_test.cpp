#include "fiber/fiber.hpp"

#include <cfenv>
#include <vector>

#include <gtest/gtest.h>

#include "fiber/sanitizers.hpp"

using charm::fiber::Fiber;

namespace {

Fiber native;
Fiber* other = nullptr;
std::vector<int> trace;

void ping_pong() noexcept {
  for (int i = 0;; ++i) {
    trace.push_back(100 + i);
    charm::fiber::switch_to(
        *other, native,
        [](Fiber* from, void* argument) noexcept {
          EXPECT_EQ(from, other);
          *static_cast<int*>(argument) += 1;  // the left fiber's stack is still there
        },
        &i);
  }
}

TEST(Fiber, SwitchesBackAndForthAndRunsTheActionOnTheOtherSide) {
  charm::fiber::attach_thread(native);
  other = charm::fiber::create(64 << 10, ping_pong);
  for (int i = 0; i < 3; ++i) {
    trace.push_back(i);
    charm::fiber::switch_to(native, *other, nullptr, nullptr);
  }
  EXPECT_EQ(trace, (std::vector<int>{0, 100, 1, 102, 2, 104}));
  charm::fiber::destroy(other);
}

int rounding_seen[2];

void with_its_own_rounding() noexcept {
  std::fesetround(FE_UPWARD);
  for (int& seen : rounding_seen) {
    charm::fiber::switch_to(*other, native, nullptr, nullptr);
    seen = std::fegetround();
  }
  charm::fiber::switch_to(*other, native, nullptr, nullptr);
}

TEST(Fiber, KeepsItsOwnRoundingMode) {
  charm::fiber::attach_thread(native);
  other = charm::fiber::create(64 << 10, with_its_own_rounding);
  for (const int mode : {FE_TONEAREST, FE_DOWNWARD, FE_UPWARD}) {
    std::fesetround(mode);
    charm::fiber::switch_to(native, *other, nullptr, nullptr);
    EXPECT_EQ(std::fegetround(), mode);
    volatile double three = 3;
    EXPECT_EQ(1 / three > 1.0 / 3, mode == FE_UPWARD);  // of the vector unit; fegetround() asks the other one
    std::fesetround(FE_TONEAREST);
  }
  EXPECT_EQ(rounding_seen[0], FE_UPWARD);
  EXPECT_EQ(rounding_seen[1], FE_UPWARD);
  charm::fiber::destroy(other);
}

TEST(Fiber, CallOnStackRunsThereAndComesBack) {
  charm::fiber::Stack stack = charm::fiber::allocate_stack(64 << 10);
  charm::fiber::attach_thread(native);
  const std::byte* seen = nullptr;
  charm::fiber::call_on_stack(
      native, stack,
      [](void* argument) noexcept {
        std::byte here{};
        *static_cast<const std::byte**>(argument) = static_cast<const std::byte*>(__builtin_frame_address(0));
        static_cast<void>(here);
      },
      &seen);
  EXPECT_GE(seen, stack.base);
  EXPECT_LT(seen, stack.base + stack.bytes);
  charm::fiber::free_stack(stack);
}

#if !defined(CHARM_ASAN) && !defined(CHARM_TSAN)
TEST(StackDeathTest, AnOverflowHitsTheGuardPage) {
  charm::fiber::Stack stack = charm::fiber::allocate_stack(64 << 10);
  EXPECT_DEATH({ *const_cast<volatile std::byte*>(stack.base - 8) = std::byte{1}; }, "");
  *const_cast<volatile std::byte*>(stack.base) = std::byte{1};
  charm::fiber::free_stack(stack);
}
#endif

TEST(Stack, TenThousandLiveAtOnce) {
  std::vector<charm::fiber::Stack> stacks;
  for (int i = 0; i < 10000; ++i) stacks.push_back(charm::fiber::allocate_stack(64 << 10));
  for (auto& stack : stacks) charm::fiber::free_stack(stack);
}

}  // namespace
