// Variables whose names are nearly those of settings.
#include "base/mistyped.hpp"

#include <array>
#include <string>
#include <vector>

#include <gtest/gtest.h>

namespace {

using charm::base::mistyped_variables;
using charm::base::nearest_name;

TEST(Mistyped, TheNearestNameDiffersByTwoCharactersAtMost) {
  const std::vector<std::string> known = {"POLICY", "PROFILE", "SMT", "SHARE", "SHARE_CORES"};
  EXPECT_EQ(nearest_name("POLICI", known), "POLICY");
  EXPECT_EQ(nearest_name("POLCY", known), "POLICY");
  EXPECT_EQ(nearest_name("PROFIEL", known), "");
  EXPECT_EQ(nearest_name("SHARE_COERS", known), "SHARE_CORES");
  EXPECT_EQ(nearest_name("SMP", known), "") << "a short word is near to many";
  EXPECT_EQ(nearest_name("WEATHER", known), "");
}

TEST(Mistyped, OnlyVariablesOfThePrefixThatAreNotKnownAreRemarkedOn) {
  const std::array variables = {"CHARM_POLICI=local",
                                "CHARM_POLICY=local",
                                "POLICI=1",
                                "CHARM_HOST=x",
                                "CHARM_",
                                "CHARM_SHAR",
                                static_cast<const char*>(nullptr)};
  const auto found = mistyped_variables(variables.data(), {"CHARM_POLICY", "CHARM_SHARE"});
  ASSERT_EQ(found.size(), 2U);
  EXPECT_EQ(found[0].variable, "CHARM_POLICI");
  EXPECT_EQ(found[0].meant, "CHARM_POLICY");
  EXPECT_EQ(found[1].variable, "CHARM_SHAR");
  EXPECT_EQ(found[1].meant, "CHARM_SHARE");
  EXPECT_TRUE(mistyped_variables(nullptr, {"CHARM_POLICY"}).empty());
}

}  // namespace
