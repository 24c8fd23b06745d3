#include <charm/error.hpp>

#include <numeric>

#include <gtest/gtest.h>

#include "memory_traffic/machines.hpp"
#include "tools/memory_traffic/publish.hpp"
#include "tools/memory_traffic/weight_policy.hpp"

namespace charm::memory_traffic::test {
namespace {

Question kunpeng_question(const Model& model) { return {.model = &model, .left = capacities(model), .root = sccl0}; }

Machine four_nodes() { return Machine::from("pack:2 numa:2 l3:1 core:4 pu:1"); }

}  // namespace

TEST(MallocPolicy, AllGiveWeightsThatSumToOne) {
  base::Random random(6);
  for (int i = 0; i < 200; ++i) {
    const Model model = random_model(random);
    for (const Policy& policy : policies()) {
      Question question{.model = &model, .left = capacities(model), .root = roots(model).front()};
      question.demand_gb_per_s = random.below(2) == 0 ? unlimited : random.unit() * 300;
      const Weights weights = huge_weights(policy, question);
      ASSERT_EQ(weights.size(), model.memories.size());
      EXPECT_NEAR(std::accumulate(weights.begin(), weights.end(), 0.0), 1, 1e-9) << policy.name;
      EXPECT_LT(normal_memory(policy, question), static_cast<int>(weights.size()));
    }
  }
}

TEST(MallocPolicy, EachDoesWhatItsNameSays) {
  const Model model = kunpeng(30);
  const Question question = kunpeng_question(model);
  const auto weights = [&](const char* name) { return huge_weights(policy(name), question); };
  EXPECT_EQ(weights("local"), (Weights{1, 0, 0, 0}));
  EXPECT_EQ(weights("latency-only"), (Weights{1, 0, 0, 0}));
  EXPECT_EQ(weights("interleave"), (Weights{.25, .25, .25, .25}));
  EXPECT_EQ(weights("weighted"), (Weights{.25, .25, .25, .25}));
  for (const char* name : {"exact", "proportional", "huge-only", "paper"})
    EXPECT_NEAR(weights(name)[2], 15. / 110, 1e-9) << name;
  EXPECT_EQ(normal_memory(policy("exact"), question), 0);
  EXPECT_EQ(normal_memory(policy("huge-only"), question), -1);
}

TEST(MallocPolicy, NormalMemoryStaysInTheSocketAndLeavesABusyMemory) {
  const Model model = kunpeng(1000);
  Question question = kunpeng_question(model);
  question.left.memory = {2, 30, 40, 40};
  EXPECT_EQ(normal_memory(policy("exact"), question), 1);
  question.left.memory = {0, 0, 40, 40};
  EXPECT_EQ(normal_memory(policy("exact"), question), 0);
}

TEST(MallocPolicy, TheOwnMemoryIsNearestWhereNoHopIsTold) {
  Model model = kunpeng(30);
  for (Domain& domain : model.domains) domain.hop_ns = 0;
  Question question{.model = &model, .left = capacities(model), .root = 6};
  EXPECT_EQ(huge_weights(policy("local"), question), (Weights{0, 0, 0, 1}));
  question.demand_gb_per_s = 30;
  EXPECT_EQ(huge_weights(policy("exact"), question), (Weights{0, 0, 0, 1}));
}

TEST(MallocPolicy, AnUnknownOneIsAnErrorThatListsThem) {
  try {
    policy("fastest");
    FAIL();
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("exact, proportional, paper"), std::string::npos);
  }
}

TEST(WeightPage, HoldsWhatThePolicySays) {
  const Model model = kunpeng(30);
  const memory::WeightPage page = weight_page(model, four_nodes(), policy("exact"), capacities(model));
  ASSERT_TRUE(is_sound(page));
  EXPECT_EQ(page.memories, 4U);
  EXPECT_EQ(page.roots, 4U);
  EXPECT_STREQ(page.policy.data(), "exact");
  EXPECT_EQ(page.weights[0][0], 1000);
  EXPECT_EQ(page.weights[0][1], 1000);
  EXPECT_EQ(page.weights[0][2], 375);
  EXPECT_EQ(page.weights[3][0], 375);
  EXPECT_EQ(page.socket[0], page.socket[1]);
  EXPECT_NE(page.socket[0], page.socket[2]);
  EXPECT_EQ(page.normal[2], 2);
  EXPECT_EQ(page.root_of_cpu[0], 0);
  EXPECT_EQ(page.root_of_cpu[15], 3);
  EXPECT_EQ(page.root_of_cpu[16], memory::no_root);
  const memory::WeightPage read = page_from_bytes(page_bytes(page), "page");
  EXPECT_EQ(page_bytes(read), page_bytes(page));
}

TEST(WeightPage, AnotherGenerationMeansOtherWeights) {
  const Model model = kunpeng(30);
  const auto generation = [&](const char* name) {
    return weight_page(model, four_nodes(), policy(name), capacities(model)).generation;
  };
  EXPECT_EQ(generation("exact"), generation("exact"));
  EXPECT_NE(generation("exact"), generation("interleave"));
}

TEST(WeightPage, OneThatIsNotSoundIsRefused) {
  const Model model = kunpeng(30);
  const memory::WeightPage good = weight_page(model, four_nodes(), policy("exact"), capacities(model));
  const auto refused = [&](auto change) {
    memory::WeightPage page = good;
    change(page);
    return !is_sound(page);
  };
  EXPECT_FALSE(refused([](memory::WeightPage&) {}));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.magic ^= 1; }));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.bytes -= 8; }));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.memories = 65; }));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.roots = 0; }));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.os_node[1] = -5; }));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.normal[0] = 4; }));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.root_of_cpu[7] = 4; }));
  EXPECT_TRUE(refused([](memory::WeightPage& page) { page.policy.fill('x'); }));
  EXPECT_THROW(page_from_bytes("short", "page"), Error);
}

TEST(WeightPage, AModelOfAnotherMachineIsRefused) {
  Model model = kunpeng(30);
  for (Domain& domain : model.domains) domain.os_node += domain.os_node >= 0 ? 10 : 0;
  EXPECT_THROW(weight_page(model, four_nodes(), policy("exact"), capacities(model)), Error);
}

}  // namespace charm::memory_traffic::test
