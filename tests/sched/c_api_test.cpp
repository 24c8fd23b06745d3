#include <charm/charm.h>

#include <algorithm>
#include <atomic>
#include <cstring>
#include <stdexcept>
#include <string>
#include <vector>

#include <gtest/gtest.h>

#include "base/notices.hpp"

extern "C" int charm_c_program(void);  // c_program.c

namespace {

TEST(CApi, AProgramInC11UsesAllOfIt) { EXPECT_EQ(charm_c_program(), 0) << "the line of c_program.c"; }

TEST(CApi, RunsTheWholeCircle) {
  ASSERT_EQ(CHARM_Init_with(1, "local"), CHARM_OK) << CHARM_Error();
  EXPECT_EQ(CHARM_Num_workers(), 1);
  EXPECT_EQ(CHARM_Worker_id(), -1);
  int value = 0;
  EXPECT_EQ(CHARM_Run([](void* p) { *static_cast<int*>(p) = CHARM_Worker_id() + 1; }, &value), CHARM_OK);
  EXPECT_EQ(value, 1);
  EXPECT_EQ(CHARM_Call(0, [](void* p) { *static_cast<int*>(p) = 2; }, &value), CHARM_OK);
  EXPECT_EQ(value, 2);
  std::atomic<long> sum{0};
  EXPECT_EQ(CHARM_Parallel_for(
                0, 100, 0,
                [](int64_t low, int64_t high, void* p) { *static_cast<std::atomic<long>*>(p) += high - low; }, &sum),
            CHARM_OK);
  EXPECT_EQ(sum, 100);
  EXPECT_EQ(CHARM_All_do(
                [](int, void* p) {
                  EXPECT_EQ(CHARM_Barrier(), CHARM_OK);
                  CHARM_Yield();
                  *static_cast<std::atomic<long>*>(p) += 1;
                },
                &sum),
            CHARM_OK);
  EXPECT_EQ(sum, 101);
  auto add = [](void* p) { *static_cast<std::atomic<long>*>(p) += 10; };
  EXPECT_EQ(CHARM_Invoke(add, &sum, add, &sum), CHARM_OK);
  EXPECT_EQ(CHARM_Call_async(0, add, &sum), CHARM_OK);
  EXPECT_EQ(CHARM_Finalize(), CHARM_OK);
  EXPECT_EQ(sum, 131);
}

TEST(CApi, ErrorsHaveCodesAndTexts) {
  EXPECT_EQ(CHARM_Finalize(), CHARM_NOT_RUNNING);
  EXPECT_NE(std::string(CHARM_Error()).find("not running"), std::string::npos);
  EXPECT_EQ(CHARM_Init_with(1, "scatter"), CHARM_BAD_CONFIG);
  EXPECT_EQ(CHARM_Init_with(60000, nullptr), CHARM_TOO_MANY_WORKERS);
  ASSERT_EQ(CHARM_Init_with(1, nullptr), CHARM_OK);
  EXPECT_EQ(CHARM_Call(9, [](void*) {}, nullptr), CHARM_BAD_INPUT);
  EXPECT_EQ(CHARM_Barrier(), CHARM_BAD_INPUT);
  EXPECT_EQ(CHARM_Finalize(), CHARM_OK);
}

TEST(CApi, ExceptionsOfTasksThatNobodyWaitsForAreTold) {
  ASSERT_EQ(CHARM_Init_with(1, nullptr), CHARM_OK);
  CHARM_Function fails = [](void*) { throw std::runtime_error("nobody hears of this"); };
  EXPECT_EQ(CHARM_Call_async(0, fails, nullptr), CHARM_OK);
  EXPECT_EQ(CHARM_Spawn(fails, nullptr), CHARM_OK);
  ASSERT_EQ(CHARM_Finalize(), CHARM_OK);
  const std::vector<std::string> told = charm::base::notices();
  EXPECT_TRUE(std::any_of(told.begin(), told.end(), [](const std::string& text) {
    return text.find("nobody hears of this") != std::string::npos;
  }));
}

}  // namespace
