// charm::remote against MPI's own messages and against one process. Start it under mpirun with two ranks, each bound to
// a core:
//   mpirun -n 2 bench-remote [SECONDS] [LOG2_OF_TABLE_WORDS]
// or alone, for the updates of two workers of one process (GUPS) that those of two ranks are compared with.
//   updates: rank 0 sends 8-byte updates to rank 1's table (one direction), and both to each other (GUPS), verified.
//   calls:   a call that waits, and MPI's ping-pong of 8 bytes, and of the 40 that the reply takes, in turns of the
//            same run.
//            "bench-remote calls [SECONDS]" measures these alone.
//   count:   "bench-remote count MILLIONS" sends so many messages each way and counts what has arrived.
#include <charm/charm.hpp>
#include <charm/global_array.hpp>
#include <charm/remote.hpp>
#include <charm/stats.hpp>

#define OMPI_SKIP_MPICXX 1
#define MPICH_SKIP_MPICXX 1
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <mpi.h>
#include <string>
#include <string_view>
#include <vector>

namespace {

namespace remote = charm::remote;
using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

std::uint64_t* table = nullptr;  // of this rank
std::uint64_t mask = 0;
std::atomic<std::uint64_t> arrived{0};
std::atomic<std::uint64_t> sum{0};

void update(std::uint64_t number) {
  std::atomic_ref<std::uint64_t>(table[number & mask]).fetch_xor(number, std::memory_order_relaxed);
}

std::uint64_t next_number(std::uint64_t& state) {  // SplitMix64
  std::uint64_t z = (state += 0x9e3779b97f4a7c15U);
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31);
}

struct Spread {
  double least, middle, most;
};
Spread spread(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return {values.front(), values[values.size() / 2], values.back()};
}

/// Updates that random ranks own, of which `ranks` there are; the topmost bits choose.
void send_updates(std::uint64_t seed, std::uint64_t count) {
  const auto ranks = static_cast<unsigned>(remote::ranks());
  const auto me = static_cast<unsigned>(remote::rank());
  std::uint64_t state = seed;
  for (std::uint64_t i = 0; i < count; ++i) {
    const std::uint64_t number = next_number(state);
    const auto owner = static_cast<unsigned>((number >> 32) * ranks >> 32);
    if (owner == me)
      update(number);
    else
      remote::post(static_cast<int>(owner), [](std::uint64_t n) { update(n); }, number);
  }
}

/// Sends everything twice: the second time undoes the first, so that the table is empty again. \return updates per
/// second.
double gups(std::uint64_t each) {
  double taken = 0;
  for (int turn = 0; turn < 2; ++turn) {
    charm::run([] { remote::barrier(); });
    const auto start = Clock::now();
    charm::run([each] {
      const int workers = charm::num_workers();
      charm::parallel_for(0, workers,
                          [=](int w) {
                            send_updates(static_cast<std::uint64_t>(remote::rank() * workers + w),
                                         each / static_cast<unsigned>(workers));
                          },
                          {.grain = 1});
      remote::barrier();
    });
    taken += seconds_since(start) / 2;
  }
  std::uint64_t wrong = 0;
  for (std::uint64_t i = 0; i <= mask; ++i) wrong += table[i] != 0 ? 1 : 0;
  wrong = charm::run([wrong] { return remote::reduce(wrong, std::plus<>()); });
  if (wrong != 0) {
    std::fprintf(stderr, "bench-remote: %llu words of the table are wrong\n", static_cast<unsigned long long>(wrong));
    std::exit(1);
  }
  return static_cast<double>(each) * remote::ranks() / taken;
}

/// From rank 0 to the last one. \return messages per second.
double one_way(std::uint64_t count) {
  return charm::run([count] {
    remote::barrier();
    const auto start = Clock::now();
    if (remote::rank() == 0) {
      std::uint64_t state = 1;
      for (std::uint64_t i = 0; i < count; ++i)
        remote::post(remote::ranks() - 1, [](std::uint64_t n) { update(n); }, next_number(state));
    }
    remote::barrier();
    return static_cast<double>(count) / seconds_since(start);
  });
}

constexpr int bytes_of_reply = 40;  // of a number, with what says which call it belongs to
constexpr int block = 100;          // calls, or round trips, that are timed together

/// Microseconds of one of `count` exchanges: those of the middle block, so that a program that takes the core for some
/// milliseconds counts once, and the mean.
struct Exchange {
  double middle, mean;
};
template <class F>
Exchange time_exchanges(int count, F&& exchange) {
  std::vector<double> blocks;
  const auto begin = Clock::now();
  for (int i = 0; i < count; i += block) {
    const auto start = Clock::now();
    for (int k = 0; k < block; ++k) exchange(static_cast<std::uint64_t>(i + k));
    blocks.push_back(1e6 * seconds_since(start) / block);
  }
  const double mean = 1e6 * seconds_since(begin) / count;
  return {spread(std::move(blocks)).middle, mean};
}

Exchange call_us(int count) {
  return charm::run([count] {
    remote::barrier();
    Exchange taken{};
    if (remote::rank() == 0) {
      taken = time_exchanges(count, [](std::uint64_t i) {
        if (remote::call(remote::ranks() - 1, [](std::uint64_t n) { return n + 1; }, i) != i + 1) std::abort();
      });
    }
    remote::barrier();
    return taken;
  });
}

Exchange mpi_us(int count, int rank, int bytes) {
  std::array<char, 64> data{};
  char* const word = data.data();
  MPI_Barrier(MPI_COMM_WORLD);
  return time_exchanges(count, [&](std::uint64_t /*i*/) {
    if (rank == 0) {
      MPI_Send(word, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD);
      MPI_Recv(word, bytes, MPI_BYTE, 1, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    } else if (rank == 1) {
      MPI_Recv(word, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
      MPI_Send(word, bytes, MPI_BYTE, 0, 0, MPI_COMM_WORLD);
    }
  });
}

/// The same by the functions that the transport uses: receives from anybody that were posted before, looked at again
/// and again, and a send that is looked at once.
Exchange mpi_polled_us(int count, int rank, int bytes) {
  constexpr std::size_t posted = 16;
  std::array<std::array<char, 64>, posted> data{};
  std::array<MPI_Request, posted> receives{};
  std::array<char, 64> word{};
  for (std::size_t i = 0; i < posted; ++i)
    MPI_Irecv(data[i].data(), 64, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &receives[i]);
  MPI_Barrier(MPI_COMM_WORLD);
  std::size_t next = 0;
  auto send = [&] {
    MPI_Request request = MPI_REQUEST_NULL;
    int done = 0;
    MPI_Isend(word.data(), bytes, MPI_BYTE, 1 - rank, 1, MPI_COMM_WORLD, &request);
    while (done == 0) MPI_Test(&request, &done, MPI_STATUS_IGNORE);
  };
  auto receive = [&] {
    int done = 0;
    MPI_Status status;
    while (done == 0) MPI_Test(&receives[next], &done, &status);
    MPI_Get_count(&status, MPI_BYTE, &done);
  };
  auto post = [&] {
    MPI_Irecv(data[next].data(), 64, MPI_BYTE, MPI_ANY_SOURCE, 1, MPI_COMM_WORLD, &receives[next]);
    next = (next + 1) % posted;
  };
  const Exchange taken = time_exchanges(count, [&](std::uint64_t /*i*/) {
    if (rank == 0) {
      send();
      receive();
      post();
    } else if (rank == 1) {
      receive();
      send();
      post();
    }
  });
  MPI_Barrier(MPI_COMM_WORLD);
  for (MPI_Request& request : receives) {
    MPI_Cancel(&request);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
  }
  return taken;
}

/// Every rank sends to every other; \return whether all has arrived once.
bool count_messages(std::uint64_t millions) {
  const std::uint64_t each = millions * 1000000;
  const auto start = Clock::now();
  const bool right = charm::run([each] {
    remote::barrier();
    const int to = (remote::rank() + 1) % remote::ranks();
    for (std::uint64_t i = 0; i < each; ++i) {
      remote::post(
          to,
          [](std::uint64_t n) {
            arrived.fetch_add(1, std::memory_order_relaxed);
            sum.fetch_add(n, std::memory_order_relaxed);
          },
          i);
    }
    remote::barrier();
    const std::uint64_t wanted =
        each % 2 == 0 ? each / 2 * (each - 1) : (each - 1) / 2 * each;  // modulo 2^64, as the sum
    return remote::reduce(static_cast<int>(arrived == each && sum == wanted), std::multiplies<>()) != 0;
  });
  if (remote::rank() == 0)
    std::printf("%llu messages between %d ranks in %.1f s: %s\n",
                static_cast<unsigned long long>(each * static_cast<unsigned>(remote::ranks())), remote::ranks(),
                seconds_since(start), right ? "none lost, none doubled" : "WRONG");
  return right;
}

}  // namespace

int main(int count, char** words) {
  const bool counts = count == 3 && std::string_view(words[1]) == "count";
  const bool only_calls = count >= 2 && std::string_view(words[1]) == "calls";
  const int numbers = only_calls ? 2 : 1;  // the place of the first one
  const double seconds = !counts && count > numbers ? std::atof(words[numbers]) : 10;
  const int log_words = !counts && count > numbers + 1 ? std::atoi(words[numbers + 1]) : 22;
  int level = 0;
  MPI_Init_thread(&count, &words, MPI_THREAD_SERIALIZED, &level);
  int ranks = 1;
  int rank = 0;
  MPI_Comm_size(MPI_COMM_WORLD, &ranks);
  MPI_Comm_rank(MPI_COMM_WORLD, &rank);
  int failed = 0;
  try {
    std::vector<std::uint64_t> words_of_table(std::size_t{1} << log_words);
    table = words_of_table.data();
    mask = words_of_table.size() - 1;
    const auto begin = Clock::now();
    int oversubscribed = 0;  // rounds in which the workers did not have their cores to themselves
    std::vector<double> ratios, long_ratios, mean_ratios, calls, pings, long_pings, polled_pings, ways, rates;
    if (counts) {
      remote::init();
      failed = count_messages(std::strtoull(words[2], nullptr, 10)) ? 0 : 1;
      remote::finalize();
    }
    for (int round = 0; !counts; ++round) {
      int more = round < 3 || seconds_since(begin) < seconds ? 1 : 0;
      MPI_Bcast(&more, 1, MPI_INT, 0, MPI_COMM_WORLD);
      if (more == 0) break;
      const Exchange ping = ranks > 1 ? mpi_us(20000, rank, 8) : Exchange{};
      const Exchange polled = ranks == 2 ? mpi_polled_us(20000, rank, bytes_of_reply) : Exchange{};
      const Exchange long_ping = ranks > 1 ? mpi_us(20000, rank, bytes_of_reply) : Exchange{};
      remote::init();
      if (ranks > 1) {
        const Exchange call = call_us(20000);
        if (charm::stats().oversubscribed) ++oversubscribed;
        pings.push_back(ping.middle);
        calls.push_back(call.middle);
        ratios.push_back(call.middle / ping.middle);
        long_pings.push_back(long_ping.middle);
        polled_pings.push_back(polled.middle);
        long_ratios.push_back(call.middle / long_ping.middle);
        mean_ratios.push_back(call.mean / ping.mean);
        if (!only_calls) ways.push_back(1e-6 * one_way(4000000));
        std::fill(words_of_table.begin(), words_of_table.end(), 0U);
      }
      if (!only_calls) rates.push_back(1e-6 * gups(4000000 * static_cast<unsigned>(charm::num_workers())));
      if (rank == 0 && round == 0)
        std::printf("%d ranks x %d workers, %zu words of table each\n", ranks, charm::num_workers(),
                    words_of_table.size());
      remote::finalize();
    }
    if (rank == 0 && !counts) {
      auto print = [](const char* what, const std::vector<double>& values) {
        if (values.empty()) return;
        const Spread s = spread(values);
        std::printf("%-34s %8.2f  (%.2f to %.2f in %zu runs)\n", what, s.middle, s.least, s.most, values.size());
      };
      if (ranks > 1) {
        print("call, us", calls);
        print("MPI ping-pong of 8 bytes, us", pings);
        print("MPI ping-pong of 40 bytes, us", long_pings);
        print("the same, polled as CHARM does, us", polled_pings);
        print("call / ping-pong of 8", ratios);
        print("call / ping-pong of 40", long_ratios);
        print("call / ping-pong of 8, of the means", mean_ratios);
        print("updates one way, M/s", ways);
        std::printf("%-34s %5d\n", "rounds with other programs' load", oversubscribed);
      }
      print("GUPS of all ranks, M/s", rates);
    }
  } catch (const charm::Error& error) {
    std::fprintf(stderr, "bench-remote: %s\n", error.what());
    MPI_Abort(MPI_COMM_WORLD, 1);
  }
  MPI_Finalize();
  return failed;
}
