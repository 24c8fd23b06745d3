// Programs with a sanitizer, and under valgrind: they work, with their own malloc, or are refused with one line.
#include <algorithm>

#include "malloc/under.hpp"

namespace charm::shim::test {
namespace {

class Checkers : public UnderTheShim, public testing::WithParamInterface<const char*> {
 protected:
  Checkers() { publish(two_memories()); }
};

/// GCC's runtimes are libraries, behind the preloaded malloc; Clang's are in the program, before it.
TEST_P(Checkers, ASanitizerKeepsItsMallocOrTheProgramIsRefused) {
  const std::string program = GetParam();
  if (program.empty()) GTEST_SKIP() << "this compiler has no such sanitizer";
  const Said alone = run_plain(program);
  if (alone.exit_code != 0) GTEST_SKIP() << "it does not run here: " << alone.err;
  const Said said = run(program);
  EXPECT_EQ(std::count(said.err.begin(), said.err.end(), '\n'), 1) << said.err;
  if (said.exit_code == 0) {
    EXPECT_EQ(said.out, alone.out);
    EXPECT_NE(said.err.find("the program has a sanitizer, whose own malloc serves it: nothing is placed"),
              std::string::npos)
        << said.err;
  } else {
    EXPECT_EQ(said.exit_code, 1) << said.err;
    EXPECT_EQ(said.out, "");
    const bool ours = said.err.find("the program has a sanitizer, which needs its own malloc") != std::string::npos;
    const bool its_own = said.err.find("ASan runtime does not come first") != std::string::npos;
    EXPECT_TRUE(ours || its_own) << said.err;
  }
}

INSTANTIATE_TEST_SUITE_P(Built, Checkers, testing::Values(CHARM_WITH_ASAN, CHARM_WITH_TSAN));

class Valgrind : public UnderTheShim {
 protected:
  Valgrind() { publish(two_memories()); }
};

TEST_F(Valgrind, FindsNothingInAProgramUnderTheMalloc) {
  if (run_plain("valgrind --version").exit_code != 0) GTEST_SKIP() << "valgrind is not installed";
  // Memcheck replaces malloc in all libraries; with NONE the program uses ours.
  for (const std::string option : {"", "--soname-synonyms=somalloc=NONE"}) {
    const Said said = run("valgrind -q --error-exitcode=9 " + option + " " CHARM_PLAIN);
    EXPECT_EQ(said.exit_code, 0) << option << said.err;
    EXPECT_EQ(said.out, "2\n") << option;
    EXPECT_EQ(said.err, "") << option;
  }
}

}  // namespace
}  // namespace charm::shim::test
