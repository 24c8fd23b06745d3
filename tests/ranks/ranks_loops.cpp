// Cases of remote_ranks: calls to places within a rank, loops over all ranks.
#include <charm/charm.hpp>
#include <charm/detail/deque.hpp>
#include <charm/global_array.hpp>
#include <charm/remote_loops.hpp>
#include <charm/remote_tasks.hpp>

#include <atomic>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <numeric>
#include <span>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "ranks.hpp"

namespace {

std::atomic<std::uint64_t> here{0};  // iterations that this rank has run
std::atomic<bool> taken{false};      // another rank has run some of this one's
std::atomic<int> helpers{0};         // ranks that have run some

}  // namespace

/// Calls to places within a rank.
void places() {
  const int ranks = remote::ranks();
  for (int to = 0; to < ranks; ++to) {
    const int last = remote::call(to, [] { return charm::num_workers() - 1; });
    for (const int worker : {0, last}) {
      const remote::on_worker there{to, worker};
      EXPECT(remote::call(there, [](int n) { return n + charm::worker_id(); }, 100) == 100 + worker);
      EXPECT(remote::call(there, [] { return remote::rank(); }) == to);
      EXPECT(remote::call_async(there, twice, 4).get() == 8);
      const std::vector<int> numbers = {1, 2, 3};
      EXPECT(remote::call(
                 there, [](std::span<const int> given) { return std::accumulate(given.begin(), given.end(), 0); },
                 std::span(numbers)) == 6);
    }
    EXPECT(has(error_of([to] { remote::call(remote::on_worker{to, 1000}, [] {}); }), "where no worker runs"));
    EXPECT(has(error_of([to] { remote::call(remote::on_chiplet{to, 1000}, [] {}); }), "where no worker runs"));
    const std::string thrown =
        error_of([to] { remote::call(remote::on_worker{to, 0}, [] { throw std::runtime_error("out of luck"); }); });
    EXPECT(has(thrown, "out of luck"));
    EXPECT(remote::call(remote::on_worker{to, 0}, [] {
      try {
        remote::barrier();
      } catch (const charm::Error&) {
        return true;  // a called function cannot wait for all ranks, wherever it runs
      }
      return false;
    }));
    EXPECT((to == remote::rank()) == (remote::distance(to) == 0));
  }
  EXPECT(remote::ranks_by_distance().size() + 1 == static_cast<std::size_t>(ranks));
  EXPECT(has(error_of([] { static_cast<void>(remote::distance(-1)); }), "there is no rank -1"));
  auto cells = charm::symmetric<std::uint64_t>(1);
  remote::barrier();
  for (int to = 0; to < ranks; ++to) {
    const auto cell = cells.on(to, 0);
    EXPECT(remote::call(cell, [](charm::global_ptr<std::uint64_t> at) { return at.local() != nullptr; }, cell));
    remote::call_detached(
        cell, [](charm::global_ptr<std::uint64_t> at) { std::atomic_ref<std::uint64_t>(*at.local()).fetch_add(1); },
        cell);
  }
  remote::barrier();
  EXPECT(cells.local()[0] == static_cast<std::uint64_t>(ranks));
  remote::barrier();
}

/// Loops over all ranks: every iteration once, whoever runs it.
void loops() {
  const auto ranks = static_cast<std::uint64_t>(remote::ranks());
  for (const bool steal : {false, true}) {
    for (const std::int64_t count : {0, 1, 7, 1000, 100000}) {
      counter = total = 0;
      remote::barrier();
      if (remote::rank() == remote::ranks() - 1) {
        remote::parallel_for(5, 5 + count,
                             [](std::int64_t i) {
                               counter.fetch_add(1);
                               total.fetch_add(static_cast<std::uint64_t>(i));
                             },
                             {.grain = count == 1000 ? 1 : 0, .steal = steal});
      }
      remote::barrier();
      const auto all = static_cast<std::uint64_t>(count);
      EXPECT(remote::reduce(counter.load(), std::plus<>()) == all);
      EXPECT(remote::reduce(total.load(), std::plus<>()) == all * 5 + (all * all - all) / 2);
    }
    const std::string thrown = error_of([steal] {
      remote::parallel_for(0, 1000,
                           [](std::int64_t i) { return i == 999 ? throw std::runtime_error("out of luck") : i; },
                           {.steal = steal});
    });
    EXPECT(has(thrown, "out of luck"));
    remote::barrier();
  }
  // Iterations that post more than the window takes: they wait for room, and all ends.
  counter = 0;
  remote::barrier();
  if (remote::rank() == 0)
    remote::parallel_for(0, 200000, [](std::int64_t i) {
      remote::post(static_cast<int>(i % remote::ranks()), [] { counter.fetch_add(1); });
    });
  remote::barrier();
  EXPECT(remote::reduce(counter.load(), std::plus<>()) == 200000);
  // The first rank's iterations are long until another rank has run one of them.
  here = 0;
  taken = false;
  remote::barrier();
  if (remote::rank() == 0) {
    auto iteration = [](std::int64_t i) {
      if (i >= 5000) return;
      here.fetch_add(1);
      if (remote::rank() != 0) remote::call_detached(0, [] { taken = true; });
      if (remote::rank() == 0 && remote::ranks() > 1 && !taken)
        std::this_thread::sleep_for(std::chrono::milliseconds(10));
    };
    remote::parallel_for(0, std::int64_t{5000} * remote::ranks(), iteration, {.grain = 1, .steal = true});
  }
  remote::barrier();
  const std::vector<std::uint64_t> slow = remote::gather(here.load());
  EXPECT(std::accumulate(slow.begin(), slow.end(), std::uint64_t{0}) == 5000);
  EXPECT(ranks == 1 || slow[0] < 5000);
  // On every worker of every rank.
  counter = 0;
  remote::barrier();
  if (remote::rank() == 0) remote::all_do([](std::uint64_t by) { counter.fetch_add(by); }, std::uint64_t{3});
  remote::barrier();
  EXPECT(counter == 3U * static_cast<unsigned>(charm::num_workers()));
  // iterate_local
  auto array = charm::gmalloc<std::uint64_t>(1001, charm::GlobalLayout::cyclic);
  remote::for_each_local(array, [](std::size_t index, std::uint64_t& element) { element = index; });
  remote::barrier();
  for (const std::size_t i : {0U, 1U, 500U, 1000U}) EXPECT(remote::read(array[i]) == i);
  remote::barrier();
}

namespace {

struct Node {
  std::uint64_t number;  // as in a heap: the nodes below n are 2n and 2n + 1
  int below;             // levels
};

void visit(const Node& node, remote::MoreTasks<Node>& more) {
  counter.fetch_add(1);
  total.fetch_add(node.number);
  if (remote::rank() != 0) here.fetch_add(1);
  if (node.below == 0) return;
  more.add({2 * node.number, node.below - 1});
  more.add({2 * node.number + 1, node.below - 1});
}

}  // namespace

/// Nobody ends while there are tasks: the only one there is at first adds others, which wait until all ranks have run
/// one. Each rank's worker has something else to do, so that what a rank has been given is on the way for long.
static void all_ranks_take_part() {
  for (int time = 0; time < 2; ++time) {
    here = 0;
    taken = false;
    helpers = 0;
    remote::barrier();
    std::atomic<bool> over = false;
    auto other = charm::async([&over] {
      while (!over) {
        std::this_thread::sleep_for(std::chrono::milliseconds(1));
        remote::flush();
        remote::poll();
        charm::yield();
      }
    });
    if (remote::rank() == 0) {
      const std::vector<Node> root = {{1, 1}};
      remote::run_tasks<Node>(root,
                              [](const Node& node, remote::MoreTasks<Node>& more) {
                                if (node.below > 0) {
                                  for (int i = 0; i < 2000; ++i) more.add({1, 0});
                                  return;
                                }
                                if (here.fetch_add(1) == 0) {
                                  remote::call_detached(0, [] {
                                    if (helpers.fetch_add(1) + 1 < remote::ranks()) return;
                                    for (int r = 0; r < remote::ranks(); ++r)
                                      remote::call_detached(r, [] { taken = true; });
                                    remote::flush();
                                  });
                                  remote::flush();
                                }
                                if (!taken) std::this_thread::sleep_for(std::chrono::milliseconds(10));
                              },
                              {.steal = true});
    }
    remote::barrier();
    over = true;
    other.get();
    EXPECT(taken);
    EXPECT(remote::reduce(here.load(), std::plus<>()) == 2000U);
    remote::barrier();
  }
}

/// A rank may begin before the one that has the tasks, and takes them all then.
static void tasks_before_the_first_rank_begins() {
  here = 0;
  remote::barrier();
  if (remote::rank() == 0 && remote::ranks() > 1) {
    auto function = [](int /*task*/, remote::MoreTasks<int>& /*more*/) { here.fetch_add(1); };
    remote::detail::RankTasks<int, decltype(function)> tasks{{remote::detail::new_loop(), sizeof(int), true}, function};
    const std::vector<int> many(1000);
    remote::detail::open_bag(tasks.part, std::as_bytes(std::span(many)));
    for (int r = 1; r < remote::ranks(); ++r)
      remote::call(r, [](remote::detail::BagPart part) { remote::detail::open_bag(part, {}); }, tasks.part);
    remote::call_async(1, tasks).get();
    EXPECT(remote::call(1, [] { return here.load(); }) == 1000);
    for (int r = 0; r < remote::ranks(); ++r)
      if (r != 1) remote::call(r, tasks);
  }
  remote::barrier();
  EXPECT(remote::reduce(here.load(), std::plus<>()) == (remote::ranks() > 1 ? 1000U : 0U));
}

/// A task that adds others without end runs some of them itself, so that not all of them wait at once.
static void few_tasks_wait() {
  constexpr std::uint64_t tasks = 300000;
  const auto most = static_cast<std::uint64_t>(charm::detail::Deque::capacity * charm::num_workers());
  counter = total = here = 0;
  remote::barrier();
  if (remote::rank() == 0) {
    const std::vector<int> first = {1};
    remote::run_tasks<int>(first, [](int adds, remote::MoreTasks<int>& more) {
      total.fetch_add(1);
      for (std::uint64_t added = 1; adds == 1 && added <= tasks; ++added) {
        more.add(0);
        const std::uint64_t waiting = added + 1 - total.load();
        if (waiting > here) here = waiting;
      }
    });
    EXPECT(total == tasks + 1);
    EXPECT(here <= most);
  }
  remote::barrier();
}

/// Tasks that any rank may run: each once, whoever runs it.
void tasks_of_all() {
  constexpr int depth = 12;
  constexpr std::uint64_t nodes = (std::uint64_t{2} << depth) - 1;
  for (const bool steal : {false, true}) {
    counter = total = here = 0;
    remote::barrier();
    if (remote::rank() == 0) {
      const std::vector<Node> root = {{1, depth}};
      auto function = [](const Node& node, remote::MoreTasks<Node>& more) { visit(node, more); };
      remote::run_tasks<Node>(root, function, {.steal = steal});
      remote::run_tasks<Node>({}, function, {.steal = steal});
    }
    remote::barrier();
    EXPECT(remote::reduce(counter.load(), std::plus<>()) == nodes);
    EXPECT(remote::reduce(total.load(), std::plus<>()) == nodes * (nodes + 1) / 2);
    EXPECT(steal || here == 0);
  }
  // The first rank's tasks are long until another rank has run one.
  here = 0;
  taken = false;
  remote::barrier();
  if (remote::rank() == 0 && remote::ranks() > 1) {
    const std::vector<Node> many(3000, Node{1, 0});
    remote::run_tasks<Node>(many,
                            [](const Node& /*node*/, remote::MoreTasks<Node>& /*more*/) {
                              here.fetch_add(1);
                              if (remote::rank() != 0) remote::call_detached(0, [] { taken = true; });
                              if (remote::rank() == 0 && !taken)
                                std::this_thread::sleep_for(std::chrono::milliseconds(10));
                            },
                            {.steal = true});
    EXPECT(taken);
  }
  remote::barrier();
  EXPECT(remote::reduce(here.load(), std::plus<>()) == (remote::ranks() > 1 ? 3000U : 0U));
  all_ranks_take_part();
  few_tasks_wait();
  tasks_before_the_first_rank_begins();
  const std::string thrown = error_of([] {
    const std::vector<Node> root = {{1, 3}};
    remote::run_tasks<Node>(root,
                            [](const Node& node, remote::MoreTasks<Node>& more) {
                              if (node.below == 0) throw std::runtime_error("out of luck");
                              more.add({node.number, node.below - 1});
                            },
                            {.steal = true});
  });
  EXPECT(has(thrown, "out of luck"));
  remote::barrier();
}

/// The last rank is killed while it runs a task that it took from the first one.
void lost_with_tasks() {
  if (remote::rank() == 0) {
    remote::barrier();
    const std::vector<int> many(300, remote::ranks() - 1);
    const std::string error = error_of([&many] {
      remote::run_tasks<int>(many,
                             [](int last, remote::MoreTasks<int>& /*more*/) {
                               if (remote::rank() == last) std::raise(SIGKILL);
                               std::this_thread::sleep_for(std::chrono::milliseconds(5));
                             },
                             {.steal = true});
    });
    EXPECT(error != "none");  // of the rank that is lost, or of one that has given up because of it
  }
  EXPECT(has(error_of([] {
               if (remote::rank() != 0) remote::barrier();  // from which the first one may come earlier
               remote::barrier();
             }),
             "has ended"));
}
