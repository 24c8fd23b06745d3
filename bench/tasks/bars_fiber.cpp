// What a stackful task costs: the bare switch, a yield through the scheduler, and the life of a task that is waited
// for. The peer is Boost.Context's fiber with pooled stacks, which has no scheduler.
#include <charm/charm.hpp>

#include <boost/context/fiber.hpp>
#include <boost/context/pooled_fixedsize_stack.hpp>

#include "bars.hpp"
#include "fiber/fiber.hpp"
#include "runtimes.hpp"

namespace charm::bench {
namespace {

constexpr int turns = 5000;

Sample nanoseconds(double seconds, double count) {
  Sample sample;
  sample.value = seconds * 1e9 / count;
  sample.peak_rss_bytes = peak_rss_bytes();
  return sample;
}

/// Two stacks that switch to each other for ever.
struct Pair {
  fiber::Fiber native;
  fiber::Fiber* other = nullptr;
};
thread_local Pair* pair = nullptr;

void answer_switches() noexcept {
  for (;;) fiber::switch_to(*pair->other, pair->native, nullptr, nullptr);
}

Sample charm_switch(int /*workers*/) {
  Sample sample;
  apart([&] {
    Pair two;
    pair = &two;
    fiber::attach_thread(two.native);
    two.other = fiber::create(65536, answer_switches);
    sample = nanoseconds(
        least(batches,
              [&] { return seconds_of(turns, [&] { fiber::switch_to(two.native, *two.other, nullptr, nullptr); }); }),
        2.0 * turns);
    fiber::destroy(two.other);
  });
  return sample;
}

/// Two tasks that can only go on by turns. Of one worker: with more, each would have a task and nobody to yield to.
Sample charm_yield(int /*workers*/) {
  Sample sample;
  apart([&] {
    Charm runtime(1);
    runtime.run([&] {
      sample = nanoseconds(least(batches,
                                 [&] {
                                   return seconds_of(1, [&] {
                                     task_group group;
                                     for (int i = 0; i < 2; ++i) {
                                       group.run([] {
                                         for (int t = 0; t < turns; ++t) yield();
                                       });
                                     }
                                     group.wait();
                                   });
                                 }),
                           2.0 * turns);
    });
  });
  return sample;
}

/// A task that runs on a stack of its own: its parent waits for something else than the task, so it cannot run it
/// itself.
Sample charm_create(int workers) {
  Sample sample;
  apart([&] {
    Charm runtime(workers);
    runtime.run([&] {
      const auto once = [] {
        latch done(1);
        run_detached([&done] { done.count_down(); });
        done.wait();
      };
      sample = nanoseconds(least(batches, [&] { return seconds_of(turns, once); }), turns);
    });
  });
  return sample;
}

/// A task and its future: most often the waiter runs it on its own stack.
Sample charm_async(int workers) {
  Sample sample;
  apart([&] {
    Charm runtime(workers);
    runtime.run([&] {
      std::int64_t sum = 0;
      sample = nanoseconds(least(batches, [&] { return seconds_of(turns, [&] { async([&sum] { ++sum; }).get(); }); }),
                           turns);
    });
  });
  return sample;
}

Sample boost_switch(int /*workers*/) {
  namespace context = boost::context;
  context::fiber other([](context::fiber&& back) {
    for (;;) back = std::move(back).resume();
    return std::move(back);
  });
  return nanoseconds(least(batches, [&] { return seconds_of(turns, [&] { other = std::move(other).resume(); }); }),
                     2.0 * turns);
}

Sample boost_create(int /*workers*/) {
  namespace context = boost::context;
  context::pooled_fixedsize_stack stacks(65536);
  std::int64_t sum = 0;
  return nanoseconds(least(batches,
                           [&] {
                             return seconds_of(turns, [&] {
                               context::fiber task(std::allocator_arg, stacks, [&sum](context::fiber&& back) {
                                 ++sum;
                                 return std::move(back);
                               });
                               task = std::move(task).resume();
                             });
                           }),
                     turns);
}

}  // namespace

void add_fiber_bars(Cases& cases) {
  cases.push_back({"fiber_switch", "charm", "ns", charm_switch});
  cases.push_back({"fiber_switch", "boost", "ns", boost_switch});
  cases.push_back({"fiber_yield", "charm", "ns", charm_yield});
  cases.push_back({"fiber_create", "charm", "ns", charm_create});
  cases.push_back({"fiber_create", "boost", "ns", boost_create});
  cases.push_back({"async_get", "charm", "ns", charm_async});
}

}  // namespace charm::bench
