// The scheduler under a library of senders. Compiled where CHARM_PEER_INCLUDE has stdexec, or the standard library has
// senders.
#include <charm/execution.hpp>

#if !CHARM_HAS_EXECUTION
#error "built without a library of senders"
#endif

#include <stdexcept>
#include <tuple>

#include "algorithms/runtimes.hpp"

namespace {

namespace senders = charm::detail::senders;
using charm::execution::scheduler;

static_assert(senders::scheduler<scheduler>);
static_assert(senders::sender<decltype(scheduler().schedule())>);

using Execution = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Execution, shapes());

TEST_P(Execution, WorkGoesToAWorker) {
  auto work = senders::then(senders::schedule(scheduler()), [] { return charm::worker_id(); });
  auto [worker] = senders::sync_wait(std::move(work)).value();
  EXPECT_GE(worker, 0);
  EXPECT_LT(worker, charm::num_workers());
}

TEST_P(Execution, WorkGoesWhereItIsSent) {
  for (int w = 0; w < charm::num_workers(); ++w) {
    auto work = senders::then(senders::schedule(scheduler(charm::on_worker{w})), [] { return charm::worker_id(); });
    EXPECT_EQ(std::get<0>(senders::sync_wait(std::move(work)).value()), w);
  }
}

TEST_P(Execution, ManyRunBesideEachOther) {
  scheduler s;
  auto square = [&](int x) { return senders::then(senders::schedule(s), [x] { return x * x; }); };
  auto [a, b, c] = senders::sync_wait(senders::when_all(square(2), square(3), square(4))).value();
  EXPECT_EQ(a + b + c, 29);
}

TEST_P(Execution, ContinuesOnMovesOver) {
  auto work = senders::continues_on(senders::just(20), scheduler()) | senders::then([](int x) {
                EXPECT_GE(charm::worker_id(), 0);
                return x + 1;
              });
  EXPECT_EQ(std::get<0>(senders::sync_wait(std::move(work)).value()), 21);
}

TEST_P(Execution, ExceptionsComeBack) {
  auto work = senders::then(senders::schedule(scheduler()), []() -> int { throw std::runtime_error("task"); });
  EXPECT_THROW(senders::sync_wait(std::move(work)), std::runtime_error);
  auto nowhere = senders::schedule(scheduler(charm::on_worker{9999}));
  EXPECT_THROW(senders::sync_wait(std::move(nowhere)), charm::Error);
}

TEST_P(Execution, TellsWhereItCompletes) {
  scheduler here(charm::on_worker{0});
  auto sender = senders::schedule(here);
  EXPECT_TRUE(senders::get_completion_scheduler<senders::set_value_t>(senders::get_env(sender)) == here);
  EXPECT_FALSE(here == scheduler());
  EXPECT_TRUE(scheduler() == scheduler());
  EXPECT_EQ(senders::get_forward_progress_guarantee(here), senders::forward_progress_guarantee::parallel);
}

TEST(ExecutionWithoutARuntime, IsAnError) {
  EXPECT_THROW(senders::sync_wait(senders::schedule(scheduler())), charm::Error);
}

}  // namespace
