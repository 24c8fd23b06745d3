// Random task graphs and what they compute. Every node folds sixteen numbers that hang on its predecessors' values; how
// it does that in parallel, how it is started, and whether it throws, is drawn from the seed. The oracle folds them in
// a loop, so both agree only if every construct runs its parts exactly once and brings back their values and
// exceptions.
#pragma once

#include <charm/charm.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <ostream>
#include <vector>

struct NodeError {
  std::size_t node;
};

inline std::uint64_t mix(std::uint64_t x) {
  x += 0x9e3779b97f4a7c15;
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9;
  x = (x ^ (x >> 27)) * 0x94d049bb133111eb;
  return x ^ (x >> 31);
}

enum class State : std::uint8_t { untouched, done, threw };

struct Outcome {
  State state = State::untouched;
  std::uint64_t value = 0;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    return out << "state " << static_cast<int>(outcome.state) << " value " << outcome.value;
  }
};

class Dag {
 public:
  static constexpr int parts = 16;

  Dag(std::uint64_t seed, std::size_t nodes) : seed_(seed), before_(nodes), after_(nodes) {
    for (std::size_t i = 1; i < nodes; ++i) {
      std::uint64_t r = draw(i, 1);
      std::size_t degree = r % 16 == 0 ? 8 : r % 4;
      for (std::size_t d = 0; d < degree; ++d) {
        // Mostly near predecessors, so that there are long chains, and some from far away.
        std::uint64_t q = draw(i, 10 + d);
        std::size_t reach = q % 8 == 0 ? i : std::min<std::size_t>(i, 64);
        std::size_t p = i - 1 - (q >> 8) % reach;
        before_[i].push_back(p);
        after_[p].push_back(i);
      }
    }
  }

  [[nodiscard]] std::size_t size() const { return before_.size(); }
  [[nodiscard]] const std::vector<std::size_t>& before(std::size_t i) const { return before_[i]; }
  [[nodiscard]] const std::vector<std::size_t>& after(std::size_t i) const { return after_[i]; }
  [[nodiscard]] std::uint64_t draw(std::size_t i, std::uint64_t what) const { return mix(mix(seed_ + i) + what); }

  /// The part of node i that throws; `parts` if none does.
  [[nodiscard]] int throws_at(std::size_t i, int failed_predecessors) const {
    std::uint64_t r = draw(i, 2);
    return r % 40 == 0 || failed_predecessors > 1 ? static_cast<int>((r >> 8) % parts) : parts;
  }

  [[nodiscard]] std::uint64_t input(std::size_t i, const std::vector<Outcome>& outcomes, int& failed) const {
    std::uint64_t x = draw(i, 0);
    for (std::size_t p : before_[i]) {
      failed += outcomes[p].state == State::threw;
      x = mix(x + outcomes[p].value);
    }
    return x;
  }

  [[nodiscard]] std::vector<Outcome> sequential() const {
    std::vector<Outcome> outcomes(size());
    for (std::size_t i = 0; i < size(); ++i) {
      int failed = 0;
      std::uint64_t x = input(i, outcomes, failed);
      if (throws_at(i, failed) < parts) {
        outcomes[i] = {State::threw, 0};
      } else {
        std::uint64_t value = 0;
        for (int k = 0; k < parts; ++k) value = value * 31 + part(x, k);
        outcomes[i] = {State::done, value};
      }
    }
    return outcomes;
  }

  static std::uint64_t part(std::uint64_t x, int k) { return mix(x + static_cast<std::uint64_t>(k)); }

 private:
  std::uint64_t seed_;
  std::vector<std::vector<std::size_t>> before_, after_;
};

/// One run of a Dag on the runtime.
class DagRun {
 public:
  /// \param cancel_at the node that cancels the whole run; Dag::size() if none does.
  DagRun(const Dag& dag, std::size_t cancel_at) : outcomes(dag.size()), dag_(dag), cancel_at_(cancel_at) {
    left_ = std::make_unique<std::atomic<std::size_t>[]>(dag.size());
    for (std::size_t i = 0; i < dag.size(); ++i) left_[i] = dag.before(i).size();
  }

  void run() {
    charm::run([this] {
      charm::task_group group;
      for (std::size_t i = 0; i < dag_.size(); ++i) {
        if (dag_.before(i).empty()) group.run([this, &group, i] { node(group, i); });
      }
      group.wait();
    });
  }

  std::vector<Outcome> outcomes;

 private:
  void node(charm::task_group& group, std::size_t i) {
    for (;;) {  // a node goes on with one of those that it has made ready, the others are spawned
      if (i == cancel_at_) group.cancel();
      int failed = 0;
      const std::uint64_t x = dag_.input(i, outcomes, failed);
      try {
        outcomes[i] = {State::done, compute(i, x, dag_.throws_at(i, failed))};
      } catch (const NodeError& error) {
        outcomes[i] = {error.node == i ? State::threw : State::untouched, 0};
      }
      std::size_t next = dag_.size();
      for (std::size_t s : dag_.after(i)) {
        if (left_[s].fetch_sub(1, std::memory_order_acq_rel) != 1) continue;
        if (next == dag_.size())
          next = s;
        else if (dag_.draw(s, 4) % 8 == 0)
          group.run([this, &group, s] { charm::async([&] { node(group, s); }).get(); });
        else
          group.run([this, &group, s] { node(group, s); });
      }
      if (next == dag_.size() || group.is_cancelled()) return;
      i = next;
    }
  }

  std::uint64_t compute(std::size_t i, std::uint64_t x, int throw_at) const {
    std::array<std::uint64_t, Dag::parts> out{};
    auto part = [&](int k) {
      if (k == throw_at) throw NodeError{i};
      out[static_cast<std::size_t>(k)] = Dag::part(x, k);
    };
    auto several = [&](int low, int high) {
      for (int k = low; k < high; ++k) part(k);
    };
    const std::uint64_t r = dag_.draw(i, 3);
    const auto grain = static_cast<std::int64_t>((r >> 16) % 5);
    const auto schedule = static_cast<charm::Schedule>((r >> 24) % 4);
    switch (r % 64) {  // what wakes other workers is drawn rarely: 10^5 nodes have to be quick
      case 0:
        charm::parallel_for(0, Dag::parts, part, {grain, schedule});
        break;
      case 1:
      case 2:
        charm::parallel_for(0, Dag::parts, part, {grain});
        break;
      case 3:
        charm::invoke([&] { several(0, 4); }, [&] { charm::invoke([&] { several(4, 9); }, [&] { several(9, 16); }); });
        break;
      case 4: {
        charm::task_group parts;
        for (int k = 0; k < Dag::parts; ++k) parts.run([&, k] { part(k); });
        parts.wait();
        break;
      }
      case 5:
        charm::async([&] { several(0, Dag::parts); }).get();
        break;
      case 6:
        charm::call(static_cast<int>((r >> 32) % static_cast<unsigned>(charm::num_workers())),
                    [&] { several(0, Dag::parts); });
        break;
      case 7:
        coroutines(several);
        break;
      case 8: {  // a group whose tasks would never end, unless cancelling reaches them
        charm::task_group endless;
        endless.run(
            [&] { endless.cancel(); });  // first: where the deque is full a task runs before its spawner goes on
        for (int k = 0; k < 3; ++k) {
          endless.run([] {
            while (!charm::is_cancelled()) charm::yield();
          });
        }
        endless.wait();
        several(0, Dag::parts);
        break;
      }
      case 9: {
        charm::parallel_reduce(
            0, Dag::parts, 0,
            [&](int low, int high, int sum) {
              several(low, high);
              return sum + high - low;
            },
            [](int a, int b) { return a + b; }, {grain, (r >> 40) % 2 == 0});
        break;
      }
      case 10: {
        std::array<int, Dag::parts> order{};
        for (int k = 0; k < Dag::parts; ++k) order[static_cast<std::size_t>(k)] = Dag::parts - 1 - k;
        charm::sort(order.begin(), order.end());
        charm::parallel_for_each(order, part);
        break;
      }
      default:
        if (r % 4 == 0) charm::yield();
        several(0, Dag::parts);
    }
    std::uint64_t value = 0;
    for (std::uint64_t o : out) value = value * 31 + o;
    return value;
  }

  template <class F>
  static void coroutines(F& several) {
    auto one = [](F& f, int low, int high) -> charm::task<> {
      co_await charm::schedule();
      f(low, high);
    };
    charm::sync_wait(charm::when_all(one(several, 0, 5), one(several, 5, 6), one(several, 6, Dag::parts)));
  }

  const Dag& dag_;
  std::size_t cancel_at_;
  std::unique_ptr<std::atomic<std::size_t>[]> left_;
};
