// What random programs do where the library calls code of the user's, or ends what the user may still hold.
#include <atomic>
#include <chrono>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>

#include <gtest/gtest.h>

#include "random_programs/runner.hpp"
#include "sched/run/runtime.hpp"
#include "sched/run/visit.hpp"

namespace random_programs {

using namespace std::chrono_literals;

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
  EXPECT_EQ(sums.combine(std::plus<>()), expected) << "a combinable lost values";
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
  EXPECT_EQ(alive.use_count(), 1) << "a cancelled sort lost elements";
}

namespace {

void raise_to(std::atomic<int>& most, int value) noexcept {
  for (int seen = most; seen < value && !most.compare_exchange_weak(seen, value);) {
  }
}

}  // namespace

class Runner::Arena {
 public:
  Arena(Runner& runner, const charm::ArenaOptions& options) : counted_(runner), arena_(options) {}
  charm::arena& operator*() noexcept { return arena_; }

 private:
  struct Counted {
    explicit Counted(Runner& runner) : all(runner) { raise_to(all.most_arenas_, ++all.arenas_); }
    ~Counted() { --all.arenas_; }
    Counted(const Counted&) = delete;
    Counted& operator=(const Counted&) = delete;
    Runner& all;
  } counted_;
  charm::arena arena_;
};

Runner::~Runner() { delete kept_arena_.load(); }

/// The numbers of workers are used again (sched/run/worker_numbers.hpp): an arena gets the first gap that it fits in,
/// so the gaps before it are smaller than the largest arena, and there is one before each arena. How many arenas there
/// are at a time is not bounded: of programs that nobody waits for, ten thousand may have begun.
/// Once finalize() has begun, arenas that are closed keep their numbers until its end (sched/run/arenas.hpp).
void Runner::expect_low_number() const {
  if (charm::sched::runtime_of_this_thread()->main.ending.has_begun(std::memory_order_relaxed)) return;
  EXPECT_LT(charm::detail::this_worker()->number, most_workers_ * (1 + 2 * most_arenas_))
      << "of at most " << most_arenas_ << " arenas at a time";
}

/// The next one is opened before the last one is closed; so there is always one from the first to the end of the
/// program.
void Runner::in_overlapping_arenas(const Node& node, const Children& children, Outcomes& outcomes) {
  const auto most = static_cast<std::uint64_t>(charm::num_workers());
  raise_to(most_workers_, charm::num_workers());
  std::unique_ptr<Arena> last;
  for (std::size_t c = 0; c < children.size(); ++c) {
    const int workers = 1 + static_cast<int>(node.draw(32 + c) % most);
    std::optional<Outcome> got;
    try {
      auto arena = std::make_unique<Arena>(
          *this,
          charm::ArenaOptions{.workers = workers, .priority = static_cast<charm::Priority>(node.draw(50 + c) % 3)});
      if (last != nullptr && c % 2 == 0) last.reset();
      got = (**arena).execute([&] {
        expect_low_number();
        return outcome(children[c]);
      });
      last = std::move(arena);
    } catch (const charm::Error& error) {  // finalize() ends arenas
      EXPECT_EQ(error.code(), charm::Errc::not_running) << error.what();
      EXPECT_TRUE(may_be_finalized_);
    }
    outcomes[c] = got ? *got : outcome(children[c]);
  }
  if (last != nullptr) last.reset(kept_arena_.exchange(last.release()));
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
  EXPECT_EQ(wrong, 0U) << "a task saw a static or a call_once before it was done";
}

}  // namespace random_programs
