#include "tools/probe/measuring/pairs.hpp"

#include <cstddef>
#include <cstdint>
#include <thread>
#include <vector>

#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/pause.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t buffer_bytes = 8192;

/// What the two threads share; every member on a line of its own, the ball alone on the homed page.
struct Court {
  alignas(128) std::atomic<std::uint32_t> ball{0};
  alignas(128) std::uint64_t buffer[buffer_bytes / sizeof(std::uint64_t)];
};

/// Hands the ball from `mine` to `mine + 1`; false when time is up.
bool hit(std::atomic<std::uint32_t>& ball, std::uint32_t mine, double deadline) {
  for (int spins = 1;; ++spins) {
    std::uint32_t expected = mine;
    if (ball.compare_exchange_strong(expected, mine + 1, std::memory_order_acq_rel, std::memory_order_relaxed))
      return true;
    // Only a partner that lost its cpu takes so long; asking the clock more often would be in the measurement.
    if (spins % 20000 == 0 && now_ns() > deadline) return false;
  }
}

template <typename A, typename B>
bool play(int cpu_a, int cpu_b, A a, B b) {
  std::atomic<int> ready{0};
  std::atomic<bool> bound{true};
  const auto worker_core = [&](int cpu) {
    if (!os::bind_this_thread({cpu})) bound = false;
    ready.fetch_add(1);
    while (ready.load() < 2) std::this_thread::yield();
  };
  std::thread first([&] { worker_core(cpu_a), a(); });
  std::thread second([&] { worker_core(cpu_b), b(); });
  first.join();
  second.join();
  return bound;
}

Court* make_court(os::NodeMemory& memory) { return ::new (memory.data()) Court; }

}  // namespace

PairResult pair_latency(int cpu_a, int cpu_b, const PairOptions& options) {
  os::NodeMemory memory(sizeof(Court), options.node);
  PairResult result;
  std::vector<double> samples;
  Court* court = nullptr;
  std::atomic<Court*> published{nullptr};
  const double deadline = now_ns() + options.most_ms * 1e6;
  const int warm_up = options.round_trips;  // brings the line, the code and the clocks of both cores along
  const bool bound = play(
      cpu_a, cpu_b,
      [&] {
        court = make_court(memory);  // the first touch is on the first cpu
        published.store(court);
        std::uint32_t at = 0;
        const auto rally = [&](int trips) {
          for (int t = 0; t < trips; ++t, at += 2) {
            if (!hit(court->ball, at, deadline)) return false;
          }
          // The last reply has to be back before the clock is read.
          while (court->ball.load(std::memory_order_acquire) != at) {
            if (now_ns() > deadline) return false;
          }
          return true;
        };
        if (!rally(warm_up)) return;
        for (int s = 0; s < options.samples && now_ns() < deadline; ++s) {
          const double begin = now_ns();
          if (!rally(options.round_trips)) return;
          samples.push_back((now_ns() - begin) / (2.0 * options.round_trips));
        }
        court->ball.fetch_or(1U << 31);  // ends the partner's game
      },
      [&] {
        Court* mine = nullptr;
        while ((mine = published.load()) == nullptr) os::pause();
        for (std::uint32_t at = 1;; at += 2) {
          for (int spins = 1;; ++spins) {
            std::uint32_t expected = at;
            if (mine->ball.compare_exchange_strong(expected, at + 1, std::memory_order_acq_rel,
                                                   std::memory_order_relaxed))
              break;
            if ((expected >> 31) != 0 || (spins % 20000 == 0 && now_ns() > deadline + 1e6)) return;
          }
        }
      });
  result.home = os::home_of(memory.data());
  result.value = summarise(samples);
  result.whole = bound && static_cast<int>(samples.size()) == options.samples;
  return result;
}

PairResult pair_bandwidth(int cpu_a, int cpu_b, const PairOptions& options) {
  os::NodeMemory memory(sizeof(Court), options.node);
  PairResult result;
  std::vector<double> samples;
  std::atomic<Court*> published{nullptr};
  std::atomic<std::uint64_t> sink{0};
  const double deadline = now_ns() + options.most_ms * 1e6;
  const int trials = options.samples + 5;  // the first ones warm up
  const bool bound = play(
      cpu_a, cpu_b,
      [&] {
        Court* court = make_court(memory);
        published.store(court);
        std::uint64_t random = 88172645463325252ULL;
        for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(trials); ++t) {
          for (auto& word : court->buffer) {
            random ^= random << 13, random ^= random >> 7, random ^= random << 17;
            word = random;
          }
          if (!hit(court->ball, 2 * t, deadline)) return;
          for (int spins = 1; court->ball.load(std::memory_order_acquire) != 2 * t + 2; ++spins) {
            if (spins % 20000 == 0 && now_ns() > deadline) return;
          }
        }
      },
      [&] {
        Court* court = nullptr;
        while ((court = published.load()) == nullptr) os::pause();
        double clock = 1e9;
        for (int i = 0; i < 100; ++i) {
          const double begin = now_ns();
          clock = std::min(clock, now_ns() - begin);
        }
        for (std::uint32_t t = 0; t < static_cast<std::uint32_t>(trials); ++t) {
          for (int spins = 1; court->ball.load(std::memory_order_acquire) != 2 * t + 1; ++spins) {
            if (spins % 20000 == 0 && now_ns() > deadline) return;
          }
          const double begin = now_ns();
          std::uint64_t sum = 0;
          for (const auto word : court->buffer) sum += word;
          sink.fetch_add(sum, std::memory_order_relaxed);  // the sum has to be there before the clock is read
          const double took = now_ns() - begin - clock;
          if (t >= 5 && took > 0) samples.push_back(static_cast<double>(buffer_bytes) / took);
          if (!hit(court->ball, 2 * t + 1, deadline)) return;
        }
      });
  result.home = os::home_of(memory.data());
  result.value = summarise(samples);
  result.whole = bound && static_cast<int>(samples.size()) >= options.samples / 2;
  return result;
}

}  // namespace charm::probe
