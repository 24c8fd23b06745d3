#include "random_programs/runner.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

namespace random_programs {

using namespace std::chrono_literals;

Outcome Runner::outcome(const Node& node) noexcept try { return {false, run(node)}; } catch (const NodeError& error) {
  return {true, error.value};
}

namespace {

thread_local bool waits_outside = false;

/// Not inlined: a task may have moved to another thread since the last call.
[[gnu::noinline]] bool on_waiting_thread() noexcept {
  asm volatile("");
  return waits_outside;
}

}  // namespace

WaitsOutside::WaitsOutside() noexcept { waits_outside = true; }
WaitsOutside::~WaitsOutside() { waits_outside = false; }

std::uint64_t Runner::run(const Node& node) {
  if (on_waiting_thread()) strays_.fetch_add(1, std::memory_order_relaxed);
  const Children children = node.children();
  Outcomes outcomes(children.size());
  if (!children.empty()) start(node, children, outcomes);
  watchdog_.progress();
  const Outcome end = node.fold(outcomes);
  if (end.threw) throw NodeError{end.value};
  return end.value;
}

void Runner::start(const Node& node, const Children& children, Outcomes& outcomes) {
  const std::uint64_t kind = node.draw(3) % 4096;  // what wakes or asks all workers is drawn rarely
  if (!to_workers_ && (kind < 8 || kind % 32 == 3 || kind % 32 == 4)) return group(children, outcomes);
  if (kind < 8) return on_all_workers(children, outcomes);
  if (kind < 16) {
    charm::sleep_for(std::chrono::microseconds(node.draw(4) % 200));
    return fork(children, outcomes, 0, children.size());
  }
  if (kind < 24) {
    charm::blocking([&] { std::this_thread::sleep_for(std::chrono::microseconds(node.draw(4) % 50)); });
    return fork(children, outcomes, 0, children.size());
  }
  if (kind < 40) {
    const charm::region region(kind % 2 == 0 ? "even" : "odd");
    return group(children, outcomes);
  }
  if (kind < 56) return with_initialisers_that_suspend(node, children, outcomes);
  if (kind < 60) return after_a_cancelled_sort(node, children, outcomes);
  if (kind < 64) return in_overlapping_arenas(node, children, outcomes);
  if (kind < 72 && !may_be_finalized_) return to_a_thread_that_waits(node, children, outcomes);
  if (kind < 88) return with_statics(node, children, outcomes);
  if (kind < 120) return through_pipeline(node, children, outcomes);
  if (kind < 152) return fed(node, children, outcomes);
  switch (kind % 32) {
    case 0:
      return shared_group(children, outcomes);
    case 1:
      return failing_group(node, children, outcomes);
    case 2:
      return cancelled_group(children, outcomes);
    case 3:
    case 4:
      return calls(node, children, outcomes);
    case 5:
    case 6:
      return through_channel(node, children, outcomes);
    case 7:
      return under_mutex(children, outcomes);
    case 8:
      return with_condition(children, outcomes);
    case 9:
      return with_latch_and_semaphore(children, outcomes);
    case 10:
      return coroutines(children, outcomes);
    case 11:
      return detached(children, outcomes);
    case 12:
      return timed(children, outcomes);
    case 13:
    case 14:
    case 15:
      return loop(node, children, outcomes);
    case 16:
    case 17:
    case 18:
    case 19:
    case 20:
      return futures(node, children, outcomes);
    case 21:
    case 22:
    case 23:
    case 24:
    case 25:
    case 26:
      return group(children, outcomes);
    default:
      return fork(children, outcomes, 0, children.size());
  }
}

void Runner::fork(const Children& children, Outcomes& outcomes, std::size_t low, std::size_t high) {
  if (high - low == 1) {
    outcomes[low] = outcome(children[low]);
    return;
  }
  const std::size_t middle = (low + high) / 2;
  charm::invoke([&] { fork(children, outcomes, low, middle); }, [&] { fork(children, outcomes, middle, high); });
}

void Runner::group(const Children& children, Outcomes& outcomes) {
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) group.run([&, c] { outcomes[c] = outcome(children[c]); });
  group.wait();
}

/// Tasks that are not the group's add to it while it is waited for.
void Runner::shared_group(const Children& children, Outcomes& outcomes) {
  charm::task_group group;
  std::vector<charm::future<void>> adders;
  for (std::size_t c = 0; c < children.size(); ++c) {
    auto add = [&, c] { group.run([&, c] { outcomes[c] = outcome(children[c]); }); };
    if (c % 2 == 0)
      add();
    else
      adders.push_back(charm::async(add));
  }
  group.wait();
  for (auto& adder : adders) adder.get();
  group.wait();
}

/// The first error of a group leaves wait(); the group can be used again.
void Runner::failing_group(const Node& node, const Children& children, Outcomes& outcomes) {
  charm::task_group group;
  const int failing = static_cast<int>(node.draw(5) % 3);
  for (int i = 0; i < 3; ++i) {
    group.run([i, failing] {
      if (i == failing) throw std::runtime_error("as drawn");
      charm::yield();
    });
  }
  bool caught = false;
  try {
    group.wait();
  } catch (const std::runtime_error&) {
    caught = true;
  }
  for (std::size_t c = 0; c < children.size(); ++c) group.run([&, c] { outcomes[c] = outcome(children[c]); });
  group.wait();
  EXPECT_TRUE(caught) << "the error of a member did not leave wait()";
}

/// Tasks that end only where cancelling reaches them. The first is the one that cancels: where the deque is full a task
/// runs before its spawner goes on.
void Runner::cancelled_group(const Children& children, Outcomes& outcomes) {
  {
    charm::task_group group;
    group.run([&] { group.cancel(); });
    for (int i = 0; i < 2; ++i) {
      group.run([] {
        while (!charm::is_cancelled()) charm::yield();
      });
    }
    group.wait();
  }
  group(children, outcomes);
}

/// Waited for in another order than they were started.
void Runner::futures(const Node& node, const Children& children, Outcomes& outcomes) {
  std::vector<charm::future<std::uint64_t>> futures;
  for (const Node& child : children) futures.push_back(charm::async([this, &child] { return run(child); }));
  const std::size_t first = node.draw(6) % children.size();
  for (std::size_t i = 0; i < children.size(); ++i) {
    const std::size_t c = (first + i) % children.size();
    try {
      outcomes[c] = {false, futures[c].get()};
    } catch (const NodeError& error) {
      outcomes[c] = {true, error.value};
    }
  }
}

void Runner::loop(const Node& node, const Children& children, Outcomes& outcomes) {
  charm::parallel_for(std::size_t{0}, children.size(), [&](std::size_t c) { outcomes[c] = outcome(children[c]); },
                      {static_cast<std::int64_t>(node.draw(7) % 3), static_cast<charm::Schedule>(node.draw(8) % 4)});
}

/// Children run in parallel stages; between them each passes a stage that takes one at a time.
void Runner::through_pipeline(const Node& node, const Children& children, Outcomes& outcomes) {
  using Result = std::pair<std::size_t, Outcome>;
  std::size_t made = 0;
  std::size_t written = 0;
  std::size_t alone = 0;
  std::atomic<std::size_t> wrong{0};  // both serial stages'
  charm::pipeline(1 + static_cast<int>(node.draw(70) % 6), charm::serial_in_order([&]() -> std::optional<std::size_t> {
                    if (made == children.size()) return {};
                    return made++;
                  }),
                  charm::parallel([&](std::size_t c) -> Result { return {c, outcome(children[c])}; }),
                  charm::serial_out_of_order([&](Result result) {
                    wrong += alone++ != 0;
                    if (node.draw(71 + result.first) % 4 == 0) charm::yield();
                    --alone;
                    return result;
                  }),
                  charm::serial_in_order([&](const Result& result) {
                    wrong += result.first != written++;
                    outcomes[result.first] = result.second;
                  }));
  EXPECT_EQ(wrong, 0U) << "a serial stage took two at a time, or in another order";
  EXPECT_EQ(written, children.size());
}

/// A loop over the first child, whose function adds the others.
void Runner::fed(const Node& node, const Children& children, Outcomes& outcomes) {
  const std::size_t step = 1 + node.draw(72) % 3;  // so many are added by each
  charm::parallel_for_each(std::array<std::size_t, 1>{0}, [&](std::size_t c, charm::feeder<std::size_t>& more) {
    for (std::size_t next = c * step + 1; next <= (c + 1) * step && next < children.size(); ++next) more.add(next);
    outcomes[c] = outcome(children[c]);
  });
}

void Runner::calls(const Node& node, const Children& children, Outcomes& outcomes) {
  const auto workers = static_cast<std::uint64_t>(charm::num_workers());
  charm::future<std::uint64_t> first =
      charm::call_async(static_cast<int>(node.draw(9) % workers), [&] { return run(children[0]); });
  for (std::size_t c = 1; c < children.size(); ++c) {
    try {
      outcomes[c] = {false,
                     charm::call(static_cast<int>(node.draw(10 + c) % workers), [&] { return run(children[c]); })};
    } catch (const NodeError& error) {
      outcomes[c] = {true, error.value};
    }
  }
  try {
    outcomes[0] = {false, first.get()};
  } catch (const NodeError& error) {
    outcomes[0] = {true, error.value};
  }
}

}  // namespace random_programs
