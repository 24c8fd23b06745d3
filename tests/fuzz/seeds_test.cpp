// The fuzzed parsers in every build: they take their seeds, and refuse damaged ones with an Error and nothing else.
#include <ostream>

#include <gtest/gtest.h>

#include "fuzz/parsers.hpp"

namespace charm::test {

void PrintTo(const Parser& parser, std::ostream* out) { *out << parser.name; }

class EveryParser : public testing::TestWithParam<Parser> {};

TEST_P(EveryParser, TakesItsSeeds) {
  const auto seeds = seeds_of(GetParam());
  EXPECT_FALSE(seeds.empty());
  for (const std::string& seed : seeds) EXPECT_EQ(refusal(GetParam(), seed), "") << seed.substr(0, 200);
}

TEST_P(EveryParser, RefusesWhatOnceEndedIt) {
  for (const std::string& text : refused_by(GetParam()))
    EXPECT_NE(refusal(GetParam(), text), "") << text.substr(0, 200);
}

TEST_P(EveryParser, RefusesDamagedOnesWithAnError) {
  for (const std::string& seed : seeds_of(GetParam())) {
    // Some forty places are enough of a long seed: the fuzzer tries the others.
    for (std::size_t at = 0; at < seed.size(); at += 1 + seed.size() / 40) {
      refusal(GetParam(), seed.substr(0, at));
      for (const char* other : {"", "-1", "1e308", "\"", "[", "99999999999"})
        refusal(GetParam(), seed.substr(0, at) + other + seed.substr(at + 1));
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Fuzz, EveryParser, testing::ValuesIn(parsers().begin(), parsers().end()),
                         [](const auto& test) { return std::string(test.param.name); });

}  // namespace charm::test
