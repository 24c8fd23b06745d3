#include "base/json.hpp"

#include <functional>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using charm::base::Json;

std::string problem(const std::function<void()>& reads) {
  try {
    reads();
  } catch (const Json::exception& error) {
    return charm::base::json_problem(error);
  }
  return "none";
}

TEST(JsonProblem, SaysWhatIsWrongInWordsForUsers) {
  const Json object = {{"a", "text"}, {"none", nullptr}};
  EXPECT_EQ(problem([&] { return object.at("cores"); }), "the member 'cores' is missing");
  EXPECT_EQ(problem([&] { return object.at("a key 'not found' not found"); }),
            "the member 'a key 'not found' not found' is missing");
  EXPECT_EQ(problem([&] { return object.at("a").get<int>(); }), "string where number is expected");
  EXPECT_EQ(problem([&] { return object.at("none").at("b"); }), "null where a list or members are expected");
  const std::string syntax = problem([] { return Json::parse("{\n\x1b[31m"); });
  EXPECT_TRUE(syntax.starts_with("parse error at line 2")) << syntax;
  EXPECT_EQ(syntax.find_first_of("\n\x1b"), std::string::npos) << syntax;
  EXPECT_TRUE(problem([] { return Json::parse("1e999"); }).starts_with("number overflow"));
}

}  // namespace
