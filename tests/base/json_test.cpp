#include "base/json.hpp"

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

namespace {

using charm::base::Json;
using charm::base::SortedJson;

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

TEST(JsonProblem, NumbersThatTheTypeCannotHoldAreRefused) {
  const auto problem_of = [](const char* number, auto wanted) {
    return problem([&] { return SortedJson::parse(number).get<decltype(wanted)>(); });
  };
  EXPECT_EQ(problem_of("2e27", 0), "2e+27 is no whole number from -2147483648 to 2147483647");
  for (const char* number : {"2147483648", "-2147483649", "2147483648.0", "1.5", "-1e300"}) {
    EXPECT_NE(problem_of(number, 0), "none") << number;
  }
  for (const char* number : {"2147483647", "-2147483648", "2147483647.0", "1e9", "true"}) {
    EXPECT_EQ(problem_of(number, 0), "none") << number;
  }
  for (const char* number : {"-1", "18446744073709551616", "-1.0"})
    EXPECT_NE(problem_of(number, std::uint64_t{}), "none") << number;
  for (const char* number : {"0", "18446744073709551615", "1e19"})
    EXPECT_EQ(problem_of(number, std::uint64_t{}), "none") << number;
  EXPECT_EQ(problem_of("2e27", 0.0), "none");
  EXPECT_EQ(problem_of("\"2\"", 0), "string where number is expected");
  EXPECT_NE(problem_of("[1, 2e27]", std::vector<int>{}), "none");
  EXPECT_THROW(static_cast<void>(Json::parse(R"({"cores": 2e27})").value("cores", 0)), Json::exception);
}

}  // namespace
