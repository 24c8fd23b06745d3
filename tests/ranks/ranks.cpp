// What is tested under mpirun, with any number of ranks: "ranks CASE [WORKERS]". Exit code 0 and "passed" from every
// rank, or a line that says what was wrong.
#include "ranks.hpp"

#include <charm/charm.hpp>
#include <charm/global_array.hpp>
#include <charm/remote.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <numeric>
#include <sched.h>
#include <stdexcept>
#include <string>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/resource.h>

namespace {

/// Calls of every kind to every rank, with values, spans, and errors.
void calls() {
  const int me = remote::rank();
  for (int to = 0; to < remote::ranks(); ++to) {
    EXPECT(remote::call(to, [] { return remote::rank(); }) == to);
    EXPECT(remote::call(to, twice, 21) == 42);
    EXPECT(remote::call(to, [me](int a, double b) { return me + a + b; }, 3, 0.5) == me + 3.5);
    const std::vector<int> numbers = {1, 2, 3, 4};
    EXPECT(remote::call(
               to, [](std::span<const int> given) { return std::accumulate(given.begin(), given.end(), 0); },
               std::span(numbers)) == 10);
    auto later = remote::call_async(to, [](int n) { return n + 1; }, 5);
    EXPECT(later.get() == 6);
    remote::call(to, [] { charm::sleep_for(std::chrono::milliseconds(2)); });
    const std::string thrown = error_of([&] { remote::call(to, [] { throw std::runtime_error("out of luck"); }); });
    EXPECT(has(thrown, ("on rank " + std::to_string(to)).c_str()) && has(thrown, "out of luck"));
    try {
      remote::call(to, [](int n) { return n > 0 ? throw charm::Error(charm::Errc::bad_input, "one", "two") : n; }, 1);
      EXPECT(false);
    } catch (const charm::Error& error) {
      EXPECT(error.code() == charm::Errc::bad_input);
    }
  }
  EXPECT(has(error_of([] { remote::call(remote::ranks(), [] {}); }), "there is no rank"));
  EXPECT(has(error_of([] { remote::post(-1, [] {}); }), "there is no rank -1"));
  const std::string inside = error_of([] { remote::call(0, [] { remote::barrier(); }); });
  EXPECT(has(inside, "another rank has called"));
}

/// A call that calls back, many deep, and many at a time.
int descend(int depth, int back) {
  return depth == 0 ? 0 : 1 + remote::call((remote::rank() + back) % remote::ranks(), descend, depth - 1, back);
}
void nested() {
  EXPECT(descend(50, 1) == 50);
  std::vector<charm::future<int>> all;
  for (int i = 0; i < 500; ++i) all.push_back(remote::call_async(i % remote::ranks(), descend, 4, 1));
  for (auto& each : all) EXPECT(each.get() == 4);
}

/// Every rank sends to every rank; nothing is lost or doubled, and barrier() waits for what the functions send in turn.
void flood(std::uint64_t each) {
  counter = total = 0;
  remote::barrier();
  for (std::uint64_t i = 0; i < each; ++i) {
    const int to = static_cast<int>(i % static_cast<std::uint64_t>(remote::ranks()));
    remote::post(
        to,
        [](std::uint64_t number) {
          counter.fetch_add(1, std::memory_order_relaxed);
          total.fetch_add(number, std::memory_order_relaxed);
        },
        i);
  }
  remote::barrier();
  const auto ranks = static_cast<std::uint64_t>(remote::ranks());
  EXPECT(remote::reduce(counter.load(), std::plus<>()) == each * ranks);
  EXPECT(remote::reduce(total.load(), std::plus<>()) == each * (each - 1) / 2 * ranks);
}

void chain(int steps) {
  counter.fetch_add(1);
  if (steps > 0) remote::post((remote::rank() + 1) % remote::ranks(), chain, steps - 1);
}
void barrier_waits_for_chains() {
  counter = 0;
  remote::barrier();
  for (int i = 0; i < 10; ++i) remote::post((remote::rank() + i) % remote::ranks(), chain, 99);
  for (int i = 0; i < 10; ++i)
    remote::call_detached(i % remote::ranks(), [] {
      charm::sleep_for(std::chrono::milliseconds(1));
      counter.fetch_add(1);
    });
  remote::barrier();
  EXPECT(remote::reduce(counter.load(), std::plus<>()) == 1010U * static_cast<unsigned>(remote::ranks()));
}

void fence_waits() {
  auto cells = charm::symmetric<std::uint64_t>(4);
  remote::barrier();
  const int next = (remote::rank() + 1) % remote::ranks();
  remote::write(cells.on(next, 1), 7U);
  remote::call_detached(
      next,
      [](charm::global_ptr<std::uint64_t> at) {
        charm::sleep_for(std::chrono::milliseconds(20));
        *at.local() = 8;
      },
      cells.on(next, 2));
  // Calls that are sent later and end earlier must not be taken for the one that sleeps.
  auto others = charm::async([next] {
    for (int i = 0; i < 20; ++i) remote::call(next, [] {});
  });
  remote::fence();
  others.get();
  EXPECT(remote::read(cells.on(next, 1)) == 7);
  EXPECT(remote::read(cells.on(next, 2)) == 8);
  remote::barrier();
}

/// A rank that runs nothing for a while holds the others back, and nobody's memory grows.
void slow_receiver() {
  counter = 0;
  remote::barrier();
  const std::size_t before = remote::traffic().memory;
  const int last = remote::ranks() - 1;
  const std::uint64_t each = 200000;
  std::size_t grown = 0;
  if (remote::rank() == last) {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));  // the worker with it
  } else {
    const std::vector<char> text(100, 'x');
    for (std::uint64_t i = 0; i < each; ++i)
      remote::post(last, [](std::span<const char> given) { counter.fetch_add(given.size()); }, std::span(text));
    EXPECT(remote::traffic().waits > 0);
  }
  remote::barrier();
  grown = remote::traffic().memory - before;
  EXPECT(grown < std::size_t{16384} * 16 * static_cast<unsigned>(remote::ranks()));
  if (remote::rank() == last) EXPECT(counter == each * 100 * static_cast<unsigned>(last));
}

void large_messages() {
  for (const std::size_t count : {std::size_t{2000}, std::size_t{100000}, std::size_t{4000000}}) {
    std::vector<std::uint64_t> numbers(count);
    std::iota(numbers.begin(), numbers.end(), 1U);
    for (int to = 0; to < remote::ranks(); ++to) {
      const std::uint64_t sum = remote::call(
          to,
          [](std::span<const std::uint64_t> given) {
            return std::accumulate(given.begin(), given.end(), std::uint64_t{0});
          },
          std::span(numbers));
      EXPECT(sum == count * (count + 1) / 2);
    }
  }
}

/// Many elements at a time, and elements that are not read in one piece.
void copies() {
  using Point = std::array<double, 3>;
  const auto own = static_cast<double>(remote::rank());
  const std::size_t count = std::size_t{3} << 20;  // 72 MiB: more than is read at a time
  auto points = charm::symmetric<Point>(count);
  remote::barrier();
  const int next = (remote::rank() + 1) % remote::ranks();
  std::vector<Point> given(count);
  for (std::size_t i = 0; i < count; ++i) given[i] = {own, static_cast<double>(i), 1};
  remote::write(points.on(next, 0), given);
  remote::barrier();
  std::vector<Point> got(count - 1);
  remote::read(points.on(next, 1), got);
  EXPECT(std::equal(got.begin(), got.end(), given.begin() + 1));
  EXPECT(remote::read(points.on(next, 7)) == given[7]);
  EXPECT(remote::read_async(points.on(next, 8)).get() == given[8]);
  remote::read(points.on(next, 1), std::span<Point>());
  EXPECT(has(error_of([&] { remote::read(charm::global_ptr<Point>(-1, nullptr), got); }), "there is no rank -1"));
  remote::barrier();
}

void global_memory() {
  for (const auto layout : {charm::GlobalLayout::block, charm::GlobalLayout::cyclic}) {
    for (const std::size_t count : {std::size_t{0}, std::size_t{1}, std::size_t{7}, std::size_t{100}}) {
      auto array = charm::gmalloc<std::int64_t>(count, layout);
      std::size_t sum = 0;
      for (int r = 0; r < remote::ranks(); ++r) sum += array.size_on(r);
      EXPECT(sum == count);
      for (std::size_t i = 0; i < array.local().size(); ++i)
        array.local()[i] = static_cast<std::int64_t>(array.global_index(i));
      remote::barrier();
      for (std::size_t i = 0; i < count; ++i) EXPECT(remote::read(array[i]) == static_cast<std::int64_t>(i));
      remote::barrier();
      for (std::size_t i = 0; i < count; ++i) remote::add(array[i], 1000);
      remote::barrier();
      for (std::size_t i = 0; i < array.local().size(); ++i)
        EXPECT(array.local()[i] == static_cast<std::int64_t>(array.global_index(i)) + 1000 * remote::ranks());
      EXPECT(has(error_of([&] { static_cast<void>(array[count]); }), "in a global array"));
      remote::barrier();
    }
  }
  copies();
  auto one = charm::gmalloc<std::int64_t>(1);
  remote::barrier();
  for (int i = 0; i < 50; ++i) remote::fetch_add(one[0], 1);
  for (int i = 0; i < 50; ++i) {
    std::int64_t seen = 0;
    while (!remote::compare_exchange(one[0], seen, seen + 1)) {
    }
  }
  remote::barrier();
  EXPECT(remote::read(one[0]) == 100 * remote::ranks());
  remote::barrier();
}

/// What cannot be made is an error on all ranks, and none waits for another one.
void no_memory() {
  const bool last = remote::rank() == remote::ranks() - 1;
  const std::string rank = "rank " + std::to_string(remote::ranks() - 1);
  const std::string first = remote::ranks() == 1 ? rank : "rank 0";
  auto error = error_of([] { charm::symmetric<std::uint64_t>(std::size_t{1} << 59); });
  EXPECT(has(error, first.c_str()) && has(error, "has no memory"));
  if (remote::ranks() > 1) {
    error = error_of([last] { charm::gmalloc<std::uint64_t>(last ? 100 : 200); });
    EXPECT(has(error, "with the same arguments"));
    if (last) {  // only this rank has no more
      rlimit limit{};
      getrlimit(RLIMIT_AS, &limit);
      limit.rlim_cur = 0;
      setrlimit(RLIMIT_AS, &limit);
    }
    error = error_of([] { charm::symmetric<std::uint64_t>(std::size_t{1} << 24); });
    if (last) {
      rlimit limit{};
      getrlimit(RLIMIT_AS, &limit);
      limit.rlim_cur = limit.rlim_max;
      setrlimit(RLIMIT_AS, &limit);
    }
    EXPECT(has(error, rank.c_str()) && has(error, "has no memory"));
  }
  EXPECT(has(error_of([] { remote::read(charm::global_ptr<int>()); }), "there is no rank -1"));
  EXPECT(charm::gmalloc<int>(10).size() == 10);
  remote::barrier();
}

void collectives() {
  const int me = remote::rank();
  const int ranks = remote::ranks();
  for (int round = 0; round < 20; ++round) {
    EXPECT(remote::reduce(me + 1, std::plus<>()) == ranks * (ranks + 1) / 2);
    EXPECT(remote::broadcast(me * 10 + round, ranks - 1) == (ranks - 1) * 10 + round);
    const std::vector<int> all = remote::gather(me);
    for (int r = 0; r < ranks; ++r) EXPECT(all[static_cast<std::size_t>(r)] == r);
    using Large = std::array<int, 500>;  // more than what the message of a step takes
    Large mine{};
    mine.fill(me);
    const std::vector<Large> large = remote::gather(mine);
    for (int r = 0; r < ranks; ++r) {
      EXPECT(large[static_cast<std::size_t>(r)].front() == r && large[static_cast<std::size_t>(r)].back() == r);
    }
  }
  std::vector<double> many(1000000, me == 0 ? 1.5 : 0.0);
  remote::broadcast(std::span(many), 0);
  EXPECT(many.back() == 1.5);
  EXPECT(has(error_of([] { remote::broadcast(1, remote::ranks()); }), "there is no rank"));
}

/// Ranks that do not take the same step have an error, all of them, and the next step is not disturbed by it.
void unequal() {
  const int ranks = remote::ranks();
  const std::string last = "rank " + std::to_string(ranks - 1);
  const bool is_last = remote::rank() == ranks - 1;
  auto expect_problem = [&](const std::string& error, const char* one, const char* other) {
    EXPECT(has(error, "do not take the same step"));
    EXPECT(has(error, one) && has(error, (last + " calls " + other).c_str()));
  };
  std::vector<double> many(is_last ? 1000000 : 10, 1.5);
  for (int round = 0; round < 3; ++round) {
    expect_problem(error_of([&] { is_last ? static_cast<void>(remote::gather('c')) : remote::barrier(); }), "barrier()",
                   "gather(), reduce() or gmalloc() with values of 1 byte");
    expect_problem(error_of([&] {
                     is_last ? static_cast<void>(remote::reduce(char{1}, std::plus<>()))
                             : static_cast<void>(remote::reduce(1.5, std::plus<>()));
                   }),
                   "values of 8 bytes", "gather(), reduce() or gmalloc() with values of 1 byte");
    expect_problem(error_of([&] { remote::broadcast(std::span(many), ranks - 1); }), "broadcast() of 80 bytes",
                   "broadcast() of 8000000 bytes");
    expect_problem(error_of([&] { is_last ? remote::broadcast(std::span(many), ranks - 1) : remote::barrier(); }),
                   "barrier()", "broadcast() of 8000000 bytes");
    expect_problem(error_of([&] { is_last ? remote::barrier() : static_cast<void>(remote::broadcast(1, 0)); }),
                   "broadcast() of 4 bytes from rank 0", "barrier()");
    struct Large {
      std::array<char, 5000> bytes{};
    };
    EXPECT(
        has(error_of([&] { is_last ? static_cast<void>(remote::gather(Large())) : remote::barrier(); }), last.c_str()));
    EXPECT(remote::reduce(1, std::plus<>()) == ranks);
    EXPECT(remote::broadcast(is_last ? round + 5 : 0, ranks - 1) == round + 5);
    remote::barrier();
  }
}

/// All tasks of a rank send at a time.
void many_tasks() {
  counter = 0;
  remote::barrier();
  charm::parallel_for(0, 20000, [](int i) {
    remote::post(i % remote::ranks(), [] { counter.fetch_add(1, std::memory_order_relaxed); });
    if (i % 100 == 0) EXPECT(remote::call(i % remote::ranks(), twice, i) == 2 * i);
  });
  remote::barrier();
  EXPECT(remote::reduce(counter.load(), std::plus<>()) == 20000U * static_cast<unsigned>(remote::ranks()));
}

/// Ranks that nobody has bound divide the cores; those that mpirun has bound keep what they were given.
void cores() {
  using Cpus = std::array<std::uint64_t, 16>;
  Cpus mine{};
  for (const charm::WorkerCore& core : charm::worker_cores())
    if (core.cpu >= 0) mine[static_cast<std::size_t>(core.cpu) / 64] |= std::uint64_t{1} << (core.cpu % 64);
  EXPECT(mine != Cpus{});
  const std::vector<Cpus> all = remote::gather(mine);
  for (std::size_t a = 0; a < all.size(); ++a) {
    for (std::size_t b = a + 1; b < all.size(); ++b) {
      for (std::size_t i = 0; i < mine.size(); ++i) EXPECT((all[a][i] & all[b][i]) == 0);
    }
  }
}

/// The ranks lease their cores: workers are apart although nobody is bound before it works.
bool may_use_all_cpus() {
  cpu_set_t mine;
  CPU_ZERO(&mine);
  return sched_getaffinity(0, sizeof mine, &mine) == 0 && CPU_COUNT(&mine) == sysconf(_SC_NPROCESSORS_ONLN);
}

void all() {
  calls();
  places();
  loops();
  tasks_of_all();
  nested();
  flood(30000);
  barrier_waits_for_chains();
  fence_waits();
  large_messages();
  global_memory();
  collectives();
  many_tasks();
  slow_receiver();
}

/// The runtime is ended, and not the rank. Only without MPI, since nothing ends the rank then.
int no_runtime() {
  remote::init({.workers = 1});
  charm::finalize();
  for (const std::string& error : {error_of([] { remote::call(0, [] {}); }), error_of([] { remote::barrier(); }),
                                   error_of([] { remote::fence(); }), error_of([] { remote::finalize(); })})
    if (!has(error, "charm::finalize() has ended the runtime of this rank")) return 1;
  std::printf("passed no_runtime\n");
  return 0;
}

/// Ranks that end as soon as everything has run, again and again: the jobs that ran the last messages are still giving
/// their buffers back then. Only without MPI, which cannot start twice.
int ends() {
  constexpr int times = 1000;
  for (int time = 0; time < times; ++time) {
    remote::init({.workers = 2, .share_cores = true});
    counter = 0;
    charm::run([] {
      for (int i = 0; i < 20; ++i) {
        remote::post(0, [] { counter.fetch_add(1, std::memory_order_relaxed); });
        remote::flush();
        remote::call_detached(0, [] { counter.fetch_add(1, std::memory_order_relaxed); });
      }
    });
    remote::finalize();
    if (counter.load() != 40) {
      std::fprintf(stderr, "time %d: %llu of 40 functions ran\n", time,
                   static_cast<unsigned long long>(counter.load()));
      return 1;
    }
    try {
      static_cast<void>(remote::rank());
      return 1;
    } catch (const charm::Error& error) {
      if (error.code() != charm::Errc::not_running) return 1;
    }
  }
  std::printf("passed %d ends\n", times);
  return 0;
}

}  // namespace

int main(int count, char** words) {
  const std::string name = count > 1 ? words[1] : "all";
  if (name == "ends") return ends();
  if (name == "no_runtime") return no_runtime();
  const std::map<std::string, void (*)()> cases = {{"all", all},
                                                   {"calls", calls},
                                                   {"places", places},
                                                   {"loops", loops},
                                                   {"stolen", tasks_of_all},
                                                   {"nested", nested},
                                                   {"memory", global_memory},
                                                   {"no_memory", no_memory},
                                                   {"collectives", collectives},
                                                   {"unequal", unequal},
                                                   {"large", large_messages},
                                                   {"slow", slow_receiver},
                                                   {"tasks", many_tasks},
                                                   {"lost", lost},
                                                   {"lost_first", lost_first},
                                                   {"lost_at_end", lost_at_end},
                                                   {"leaves", leaves},
                                                   {"lost_with_tasks", lost_with_tasks},
                                                   {"cores", cores},
                                                   {"leases", cores},
                                                   {"chains", barrier_waits_for_chains},
                                                   {"fence", fence_waits},
                                                   {"flood", [] { flood(30000000); }}};
  if (!cases.contains(name)) return 2;
  try {
    const bool unbound = may_use_all_cpus();
    remote::init({.workers = count > 2 ? std::atoi(words[2]) : 1, .share_cores = true});
    if (name == "leases") EXPECT(unbound && may_use_all_cpus());
    charm::run(cases.at(name));
    std::printf("rank %d of %d passed %s over %s\n", remote::rank(), remote::ranks(), name.c_str(),
                remote::transport().c_str());
    std::fflush(stdout);
    remote::finalize();
  } catch (const charm::Error& error) {
    std::fprintf(stderr, "ranks: %s\n", error.what());
    return 1;
  }
}
