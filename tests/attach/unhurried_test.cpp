// How often a program is searched for new threads: seldom while none of its threads is bound, else before a thread that
// inherits a worker's core notices it.
#include <gtest/gtest.h>

#include "attach/steered_program.hpp"

namespace {

using charm::test::SteeredProgram;

constexpr double seconds = 5;

/// A program on two chiplets of four cores, which may have `most_cores`.
struct UnhurriedProgram : SteeredProgram {
  explicit UnhurriedProgram(bool announced = true, int most_cores = 8)
      : SteeredProgram(charm::test::uniform(1, 2, 4), "local") {
    program.announced = announced;
    thread_placer.set_most_cores(most_cores);
  }
};

/// Keeps two short threads there, which are others every 10 ms.
void make_short_threads(SteeredProgram& run, int parent) {
  for (const double end = run.now + seconds; run.now < end - 0.001;) {
    const int first = run.program.start(1.0, parent);
    const int second = run.program.start(1.0, parent);
    run.pass(0.01);
    run.program.end(first);
    run.program.end(second);
  }
  run.pass(0.2);  // until the last ones have been looked for
}

/// \returns the number of searches a second beside short threads.
double searches_beside_short_threads(bool announced, int most_cores) {
  UnhurriedProgram run(announced, most_cores);
  make_short_threads(run, run.program.start(0.0));
  EXPECT_EQ(run.thread_placer.tally().masks, 0U);
  if (announced) {
    EXPECT_EQ(run.thread_placer.tally().threads, 1 + 2 * 100 * seconds) << "those that have ended are counted, too";
  }
  return run.program.searches / seconds;
}

TEST(Unhurried, ShortThreadsThatInheritAllCpusAreSearchedForTenTimesASecond) {
  EXPECT_LE(searches_beside_short_threads(true, 8), 11);
  EXPECT_GE(searches_beside_short_threads(true, 8), 9);
}

TEST(Unhurried, WhereNothingIsAnnouncedAThreadOfFiftyMillisecondsIsFound) {
  EXPECT_GE(searches_beside_short_threads(false, 8), 40);
}

TEST(Unhurried, NoThreadOfFiftyMillisecondsIsMissed) {
  for (const bool announced : {false, true}) {
    UnhurriedProgram run(announced);
    const int parent = run.program.start(0.0);
    run.pass(1);
    constexpr int threads = 100;
    for (int i = 0; i < threads; ++i) {
      const int id = run.program.start(1.0, parent);
      run.pass(0.05);
      run.program.end(id);
      run.pass(0.01 * (i % 7));  // begins anywhere between two looks
    }
    run.pass(0.2);
    EXPECT_EQ(run.thread_placer.tally().threads, 1U + threads) << (announced ? "announced" : "not announced");
  }
}

TEST(Unhurried, WhereMoreCoresCouldBeHadTheQueueIsSeen) { EXPECT_GE(searches_beside_short_threads(true, 16), 40); }

TEST(Unhurried, TheThreadOfAWorkerThatIsBoundIsLetLooseSoon) {
  UnhurriedProgram run;
  const int worker = run.program.start(1.0);
  const int other = run.program.start(1.0);
  run.pass(3);
  ASSERT_EQ(run.thread_placer.workers(), 2);
  ASSERT_EQ(run.program.at(worker).mask.size(), 1U);
  const int child = run.program.start(0.5, worker);
  run.pass(0.03);
  EXPECT_EQ(run.program.at(child).mask, run.machine.allowed_cpus);
  run.program.searches = 0;
  make_short_threads(run, worker);
  EXPECT_GE(run.program.searches / seconds, 40);

  run.program.end(other);
  run.program.end(child);
  run.pass(4);
  ASSERT_EQ(run.program.at(worker).mask, run.machine.allowed_cpus) << "one worker is not bound";
  run.program.searches = 0;
  make_short_threads(run, worker);
  EXPECT_LE(run.program.searches / seconds, 11);
}

TEST(Unhurried, AMaskThatTheProgramChoseIsNoHurry) {
  UnhurriedProgram run;
  const int first = run.program.start(0.0);
  const int pinned = run.program.start(0.0);
  run.pass(1);
  run.program.at(pinned).mask = {3};
  run.pass(1);
  ASSERT_EQ(run.thread_placer.tally().left_alone, 1U);
  run.program.searches = 0;
  make_short_threads(run, first);
  EXPECT_LE(run.program.searches / seconds, 11);
}

}  // namespace
