// What real processes do to a malloc: other preloaded libraries, sandboxes, plug-ins, more blocks than there are
// mappings, names for themselves, other folders, other files on descriptor 2.
#include <set>
#include <sstream>

#include "malloc/under.hpp"
#include "thorough.hpp"

namespace charm::shim::test {
namespace {

class Processes : public UnderTheShim {
 protected:
  Processes() { publish(two_memories()); }

  static void expect_done(const Said& said) {
    EXPECT_EQ(said.exit_code, 0) << said.err;
    EXPECT_EQ(said.out, "done\n") << said.err;
  }

  /// The program runs, and other weights come while it does. \return what it said, with its statistics.
  [[nodiscard]] Said run_with_new_weights(const std::string& command, const std::string& variables) {
    memory::WeightPage other = two_memories();
    other.generation = 2;
    const std::string fresh = folder_.file("other", memory_traffic::page_bytes(other));
    chmod(fresh.c_str(), 0600);
    return run("sh -c '" + command + " & sleep 0.15; mv " + fresh + " " + weights_ + "; wait'", variables);
  }
};

}  // namespace

TEST_F(Processes, LibrariesThatAllocateInEveryFunctionRunBesideIt) {
  for (const std::string order : {CHARM_SHIM ":" CHARM_INTERPOSER, CHARM_INTERPOSER ":" CHARM_SHIM}) {
    for (const std::string part : {"contract", "threads", "fork", "again 12", "limit"}) {
      const Said said = run_plain("timeout 60 env LD_PRELOAD='" + order + "' CHARM_MALLOC_WEIGHTS='" + weights_ +
                                  "' CHARM_QUIET=1 " CHARM_CLIENT_C " " + part);
      EXPECT_EQ(said.exit_code, 0) << order << part << said.err;
      EXPECT_EQ(said.out, "done\n") << order << part;
    }
  }
}

// Calls of others that could be within an allocation. What is left is called when jemalloc starts, when a thread or the
// process does, when an operator new fails, or for options that are off; or it computes and calls nobody.
TEST_F(Processes, ItNeedsOfOtherLibrariesOnlyWhatCannotAllocateBelowItsLocks) {
  const std::set<std::string> allowed = {
      // data
      "__environ", "environ", "__libc_single_threaded", "__rseq_offset", "__rseq_size",
      // computing
      "__ctype_b_loc", "__errno_location", "__sched_cpucount", "exp", "ffs", "log", "memchr", "memcmp", "memcpy",
      "memmove", "memset", "round", "strchr", "strcmp", "strcpy", "strlen", "strncmp", "strncpy", "getauxval",
      "pthread_self",
      // the beginning and the end of threads and of the process, fork(), a failed operator new
      "__cxa_atexit", "__cxa_finalize", "__register_atfork", "__stack_chk_fail", "_exit", "abort", "dl_iterate_phdr",
      "dladdr", "dlclose", "dlopen", "dlsym", "pthread_key_create", "pthread_mutexattr_destroy",
      "pthread_mutexattr_init", "pthread_mutexattr_settype", "pthread_setspecific", "atexit",
      // options of jemalloc: its profiler, its threads in the background, memory from sbrk, messages about bad options
      "_Unwind_Backtrace", "_Unwind_GetIP", "creat", "getpid", "gettimeofday", "pthread_cond_init",
      "pthread_cond_signal", "pthread_cond_timedwait", "pthread_cond_wait", "pthread_create", "pthread_getname_np",
      "pthread_join", "pthread_setname_np", "pthread_sigmask", "sbrk", "sched_setaffinity", "sigfillset", "strerror_r"};
  const Said listed = run_plain("nm -D --undefined-only " CHARM_SHIM);
  if (listed.exit_code != 0) GTEST_SKIP() << "there is no nm";
  std::istringstream lines(listed.out);
  std::size_t needed = 0;
  for (std::string kind, name; lines >> kind >> name; ++needed) {
    if (kind == "w") continue;  // nothing that must be there
    EXPECT_TRUE(allowed.contains(name.substr(0, name.find('@')))) << name;
  }
  EXPECT_GT(needed, 10U);
}

TEST_F(Processes, ASandboxThatTheProgramBeginsDoesNotEndIt) {
  for (const std::string way : {"kill PRCTL", "kill SYSCALL", "refuse PRCTL", "refuse SYSCALL"}) {
    const Said alone = run_plain(CHARM_SANDBOX " " + way);
    if (alone.exit_code != 0) GTEST_SKIP() << "no sandbox can be begun here: " << alone.err;
    const std::string file = folder_.path("statistics");
    const Said said = run(CHARM_SANDBOX " " + way, "CHARM_MALLOC_STATS=" + file);
    EXPECT_EQ(said.exit_code, 0) << way << said.err;
    EXPECT_EQ(said.out, "done\n") << way;
    EXPECT_EQ(said.err, "") << way;
    EXPECT_NE(content(file).find("until its sandbox (seccomp) began, policy test"), std::string::npos) << content(file);
    EXPECT_EQ(number_behind(content(file), "huge blocks"), 1U) << "what came before the sandbox";
    std::filesystem::remove(file);
  }
}

TEST_F(Processes, AFilterThatWouldKillAtTheFirstPlacedPageIsOneLine) {
  const Said said = run(CHARM_REFUSING " --killing " CHARM_CLIENT_C " contract");
  if (said.exit_code == 3) GTEST_SKIP() << said.err;
  EXPECT_EQ(said.out, "done\n");
  EXPECT_NE(said.err.find("a filter of system calls (seccomp) would kill the process"), std::string::npos) << said.err;
}

TEST_F(Processes, AFailedNewInAPlugInOfAProgramInCIsItsException) {
  expect_done(run(CHARM_CLIENT_C " fails " CHARM_FAILING_PLUGIN));
  expect_done(run(CHARM_CLIENT_C " fails " CHARM_FAILING_PLUGIN, "CHARM_MALLOC=off"));
}

TEST_F(Processes, MoreBlocksThanMappings) {
  publish(two_memories(0, 0));
  const std::string count = tests::thorough() ? "1000000" : "40000";
  const Said said = run(CHARM_CLIENT_C " many " + count, "CHARM_MALLOC_STATS=stderr");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(number_behind(said.err, "refused"), 0U);
  EXPECT_GT(number_behind(said.err, "in shared mappings"), 20'000U);
  // Placed by the weights all the same: four fifths on the first memory.
  const std::size_t at = said.err.find("huge bytes by node 0:");
  ASSERT_NE(at, std::string::npos) << said.err;
  const double first = std::stod(said.err.substr(at + 21));
  const double second = std::stod(said.err.substr(said.err.rfind(":") + 1));
  EXPECT_NEAR(first / (first + second), 0.8, 0.01);
  EXPECT_EQ(static_cast<std::uint64_t>(first + second), number_behind(said.err, "bytes"));
}

TEST_F(Processes, ANameForTheProcessOverwritesNothingThatItNeeds) {
  const std::string file = folder_.path("statistics");
  const Said said = run_with_new_weights(CHARM_CLIENT_C " title 60", "CHARM_MALLOC_STATS=" + file);
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(content(file).find("weights read again 1"), std::string::npos) << content(file) << said.err;
}

TEST_F(Processes, APathThatIsRelativeHoldsInOtherFolders) {
  const Said said = run_with_new_weights("cd " + std::filesystem::path(weights_).parent_path().string() +
                                             "; CHARM_MALLOC_WEIGHTS=weights CHARM_MALLOC_STATS=stderr " CHARM_CLIENT_C
                                             " elsewhere 60",
                                         "CHARM_QUIET=1");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_NE(said.err.find("weights read again 1"), std::string::npos) << said.err;
}

TEST_F(Processes, NothingIsWrittenIntoAFileThatHasGotDescriptor2) {
  const std::string file = folder_.path("data");
  const Said said = run(CHARM_CLIENT_C " data " + file, "CHARM_MALLOC_STATS=stderr");
  EXPECT_EQ(said.exit_code, 0) << said.err;
  EXPECT_EQ(content(file), "data\n");
  // Nor where it was closed before the program began.
  EXPECT_EQ(run("sh -c 'exec " CHARM_CLIENT_C " again 1 2>&-'", "CHARM_MALLOC_STATS=stderr").exit_code, 0);
}

TEST_F(Processes, StatisticsGoToTheDeviceOfStandardErrorToo) {
  const Said said = run("true", "CHARM_MALLOC_STATS=/dev/stderr");
  EXPECT_NE(said.err.find("policy test"), std::string::npos) << said.err;
  EXPECT_EQ(said.err.find("cannot be written"), std::string::npos) << said.err;
}

}  // namespace charm::shim::test
