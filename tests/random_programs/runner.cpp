#include "random_programs/runner.hpp"

#include <array>
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <stdexcept>
#include <thread>
#include <utility>

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
  if (!caught) outcomes[0].value += 1;  // the oracle will not agree
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

/// Every child sends what came of it; with little or no room senders wait, else the receiver.
void Runner::through_channel(const Node& node, const Children& children, Outcomes& outcomes) {
  constexpr std::array<std::size_t, 4> capacities{0, 1, 3, charm::channel<int>::unbounded};
  charm::channel<std::pair<std::size_t, Outcome>> channel(capacities[node.draw(20) % capacities.size()]);
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) group.run([&, c] { channel.send({c, outcome(children[c])}); });
  // The receiver is a task of its own, since a member may run on the spawner's stack at once, and wait for it.
  charm::future<void> receiver = charm::async([&] {
    while (auto got = channel.recv()) outcomes[got->first] = got->second;
  });
  group.wait();
  channel.close();
  receiver.get();
}

void Runner::under_mutex(const Children& children, Outcomes& outcomes) {
  charm::mutex mutex;
  std::size_t inside = 0;  // the mutex's
  std::size_t collisions = 0;
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      const Outcome got = outcome(children[c]);
      const std::lock_guard lock(mutex);
      collisions += inside++ != 0;
      if (c % 4 == 0) charm::yield();  // held while others run
      outcomes[c] = got;
      --inside;
    });
  }
  group.wait();
  outcomes[0].value += collisions;
}

void Runner::with_condition(const Children& children, Outcomes& outcomes) {
  charm::mutex mutex;
  charm::condition_variable changed;
  std::size_t left = children.size();
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      outcomes[c] = outcome(children[c]);
      const std::lock_guard lock(mutex);
      --left;
      changed.notify_one();
    });
  }
  {
    std::unique_lock lock(mutex);
    changed.wait(lock, [&] { return left == 0; });
  }
  group.wait();
}

void Runner::with_latch_and_semaphore(const Children& children, Outcomes& outcomes) {
  charm::latch latch(static_cast<std::ptrdiff_t>(children.size()));
  charm::counting_semaphore<> semaphore(2);
  std::atomic<int> inside{0};
  std::atomic<int> crowds{0};
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      semaphore.acquire();
      if (++inside > 2) ++crowds;
      outcomes[c] = outcome(children[c]);
      --inside;
      semaphore.release();
      latch.count_down();
    });
  }
  latch.wait();
  group.wait();
  outcomes[0].value += static_cast<std::uint64_t>(crowds.load());
}

void Runner::coroutines(const Children& children, Outcomes& outcomes) {
  auto one = [](Runner& self, const Node& node, Outcome& out) -> charm::task<> {
    co_await charm::schedule();
    out = self.outcome(node);
  };
  std::vector<charm::task<>> tasks;
  for (std::size_t c = 0; c < children.size(); ++c) tasks.push_back(one(*this, children[c], outcomes[c]));
  charm::sync_wait(charm::when_all(std::move(tasks)));
}

void Runner::detached(const Children& children, Outcomes& outcomes) {
  charm::latch latch(static_cast<std::ptrdiff_t>(children.size()));
  for (std::size_t c = 0; c < children.size(); ++c) {
    charm::run_detached([&, c] {
      outcomes[c] = outcome(children[c]);
      latch.count_down();
    });
  }
  latch.wait();
}

/// Waits that are over before what they wait for, again and again.
void Runner::timed(const Children& children, Outcomes& outcomes) {
  charm::channel<int> never;
  std::vector<charm::future<void>> futures;
  for (std::size_t c = 0; c < children.size(); ++c)
    futures.push_back(charm::async([&, c] { outcomes[c] = outcome(children[c]); }));
  const bool received = never.try_recv_for(10us).has_value();
  for (auto& future : futures) {
    while (!future.wait_for(50us)) {
    }
    future.get();
  }
  outcomes[0].value += received ? 1 : 0;  // not before: the first child writes it
}

/// Two rounds of a barrier: after each everybody has done its part of it.
void Runner::on_all_workers(const Children& children, Outcomes& outcomes) {
  const int workers = charm::num_workers();
  std::atomic<int> arrived{0};
  std::atomic<int> early{0};
  charm::all_do([&](int worker) {
    for (int round = 1; round <= 2; ++round) {
      ++arrived;
      charm::barrier();
      if (arrived < round * workers) ++early;
      charm::barrier();
    }
    for (auto c = static_cast<std::size_t>(worker); c < children.size(); c += static_cast<std::size_t>(workers))
      outcomes[c] = outcome(children[c]);
  });
  outcomes[0].value += static_cast<std::uint64_t>(early.load());
}

/// Other tasks run on the worker while its value is made, and may ask for it.
void Runner::with_initialisers_that_suspend(const Node& node, const Children& children, Outcomes& outcomes) {
  charm::mutex mutex;
  charm::combinable<std::uint64_t> sums([&]() -> std::uint64_t {
    switch (node.draw(30) % 3) {
      case 0:
        charm::yield();
        break;
      case 1:
        charm::invoke([] { charm::yield(); }, [] {});
        break;
      default: {
        const std::lock_guard lock(mutex);
        charm::sleep_for(5us);
      }
    }
    return 0;
  });
  charm::parallel_for(std::size_t{0}, children.size(),
                      [&](std::size_t c) {
                        outcomes[c] = outcome(children[c]);
                        sums.local() += outcomes[c].value;
                      },
                      {.grain = 1});
  std::uint64_t expected = 0;
  for (const Outcome& each : outcomes) expected += each.value;
  outcomes[0].value += sums.combine(std::plus<>()) - expected;
}

/// Wherever the sort is when it is cancelled, no element is lost.
void Runner::after_a_cancelled_sort(const Node& node, const Children& children, Outcomes& outcomes) {
  struct Element {
    std::uint64_t key;
    std::shared_ptr<int> alive;
  };
  const auto alive = std::make_shared<int>();
  {
    charm::task_group group;
    group.run([&] {
      std::vector<Element> elements;
      for (std::uint64_t i = 0; i < 8000; ++i) elements.push_back({mix(node.seed + i), alive});
      charm::stable_sort(elements.begin(), elements.end(),
                         [](const Element& a, const Element& b) { return a.key < b.key; });
    });
    group.run([&] {
      for (std::uint64_t left = node.draw(31) % 64; left > 0; --left) charm::yield();
      group.cancel();
    });
    group.wait();
  }
  group(children, outcomes);
  outcomes[0].value += static_cast<std::uint64_t>(alive.use_count() - 1);
}

/// The next one is opened before the last one is closed.
void Runner::in_overlapping_arenas(const Node& node, const Children& children, Outcomes& outcomes) {
  const auto most = static_cast<std::uint64_t>(charm::num_workers());
  std::unique_ptr<charm::arena> last;
  for (std::size_t c = 0; c < children.size(); ++c) {
    const int workers = 1 + static_cast<int>(node.draw(32 + c) % most);
    std::optional<Outcome> got;
    try {
      auto arena = std::make_unique<charm::arena>(
          charm::ArenaOptions{.workers = workers, .priority = static_cast<charm::Priority>(node.draw(50 + c) % 3)});
      if (last != nullptr && c % 2 == 0) last.reset();
      got = arena->execute([&] { return outcome(children[c]); });
      last = std::move(arena);
    } catch (const charm::Error& error) {  // finalize() ends arenas
      EXPECT_EQ(error.code(), charm::Errc::not_running) << error.what();
      EXPECT_TRUE(may_be_finalized_);
    }
    outcomes[c] = got ? *got : outcome(children[c]);
  }
}

void Runner::to_a_thread_that_waits(const Node& node, const Children& children, Outcomes& outcomes) {
  charm::channel<std::pair<std::size_t, Outcome>> channel(node.draw(33) % 3);
  charm::latch begun(1);
  std::thread thread([&] {
    begun.wait();
    while (auto got = channel.recv()) outcomes[got->first] = got->second;
  });
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      const Outcome got = outcome(children[c]);
      if (c == 0) begun.count_down();
      channel.send({c, got});
    });
  }
  group.wait();
  channel.close();
  charm::blocking([&] { thread.join(); });
}

namespace {

template <std::uint64_t number>
std::uint64_t static_value() {
  static const std::uint64_t value = mix(number);
  return value;
}

}  // namespace

/// Statics and call_once are locks of threads, which tasks may use as long as the initialiser does not suspend.
void Runner::with_statics(const Node& node, const Children& children, Outcomes& outcomes) {
  std::once_flag once;
  std::uint64_t value = 0;
  std::atomic<std::uint64_t> wrong{0};
  charm::task_group group;
  for (std::size_t c = 0; c < children.size(); ++c) {
    group.run([&, c] {
      std::call_once(once, [&] { value = static_value<1>() + node.seed; });
      if (value != mix(1) + node.seed || static_value<2>() != mix(2)) ++wrong;
      outcomes[c] = outcome(children[c]);
    });
  }
  group.wait();
  outcomes[0].value += wrong;
}

}  // namespace random_programs
