// Programs do the same under the shim as without it, whether it places memory or not.
#include "malloc/under.hpp"

namespace charm::shim::test {
namespace {

struct Way {
  const char* name;
  bool published;
  const char* variables;
};

class Programs : public UnderTheShim, public testing::WithParamInterface<Way> {
 protected:
  Programs() {
    if (GetParam().published) publish(two_memories());
  }
  [[nodiscard]] Said here(const std::string& command) const {
    return run(command, std::string(GetParam().variables) + " CHARM_QUIET=1");
  }
  void expect_done(const std::string& command) const {
    const Said said = here(command);
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_NE(said.out.find("done\n"), std::string::npos) << said.out << said.err;
    EXPECT_EQ(said.err, "");
  }
  /// The same answer as without the shim; skipped where there is no such program. \param script shell.
  void expect_same(const std::string& program, const std::string& script) const {
    if (run_plain("command -v " + program).exit_code != 0) GTEST_SKIP() << "there is no " << program;
    const std::string command = "sh '" + folder_.file("script", script) + "'";
    const Said without = run_plain(command);
    const Said with = here(command);
    EXPECT_EQ(without.exit_code, 0) << without.err;
    EXPECT_EQ(with.exit_code, without.exit_code) << with.err;
    EXPECT_EQ(with.out, without.out);
    EXPECT_EQ(with.err, without.err);
  }
};

}  // namespace

TEST_P(Programs, TheContractOfMallocHolds) { expect_done(CHARM_CLIENT_C " contract"); }
TEST_P(Programs, ThreadsAreBornAndDie) { expect_done(CHARM_CLIENT_C " threads"); }
TEST_P(Programs, ForkBesideThreadsThatAllocate) { expect_done(CHARM_CLIENT_C " fork"); }
TEST_P(Programs, SignalsInterruptAllocations) { expect_done(CHARM_SIGNALS " storm"); }
TEST_P(Programs, ASignalHandlerForksInAProcessOfOneThread) { expect_done("timeout 300 " CHARM_SIGNALS " forking"); }
TEST_P(Programs, SignalHandlersAllocateBetweenAllocations) { expect_done(CHARM_SIGNALS " raised"); }
TEST_P(Programs, LibrariesAreLoadedAndUnloaded) { expect_done(CHARM_CLIENT_C " plugin " CHARM_PLUGIN); }
TEST_P(Programs, LittleAddressSpaceIsNoCrash) { expect_done(CHARM_CLIENT_C " limit"); }
TEST_P(Programs, RandomOperationsOfSeveralThreads) { expect_done(CHARM_STRESS " 200000 3 7"); }
TEST_P(Programs, ExecStartsAnew) { expect_done(CHARM_CLIENT_C " exec"); }
TEST_P(Programs, CppAllocatesBeforeAndAfterMain) {
  expect_done(CHARM_CLIENT_CPP);
  EXPECT_NE(here(CHARM_CLIENT_CPP).out.find("destroyed\n"), std::string::npos);
}

TEST_P(Programs, Python) {
  expect_same("/usr/bin/python3", R"(/usr/bin/python3 -c '
import json, re, subprocess, threading
words = [str(i) * 9 for i in range(90000)]
print(len(json.dumps(words)), len(bytearray(30 << 20)), subprocess.check_output(["echo", "child"]))')");
}
TEST_P(Programs, Git) { expect_same("git", "git -C " CHARM_SOURCE " rev-parse --is-inside-work-tree || echo none"); }
TEST_P(Programs, Compiler) {
  expect_same("gcc", "printf '#include <stdio.h>\\nint main(){puts(__FILE__);}' | gcc -O2 -S -o - -xc - | cksum");
}
TEST_P(Programs, Node) {
  expect_same(
      "node",
      "node -e 'let a=[];for(let i=0;i<2e5;++i)a.push({i});console.log(a.length, Buffer.alloc(20<<20).length)'");
}
TEST_P(Programs, Shell) { expect_same("sort", "seq 20000 | sort -R --random-source=/etc/passwd | sort -n | cksum"); }

INSTANTIATE_TEST_SUITE_P(Malloc, Programs,
                         testing::Values(Way{"placing", true, "CHARM_MALLOC=on"},
                                         Way{"small_limit", true, "CHARM_MALLOC_HUGE=64K"},
                                         Way{"without_weights", false, "CHARM_MALLOC=on"},
                                         Way{"switched_off", true, "CHARM_MALLOC=off"}),
                         [](const auto& way) { return std::string(way.param.name); });

}  // namespace charm::shim::test
