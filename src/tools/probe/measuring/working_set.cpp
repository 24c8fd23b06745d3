#include "tools/probe/measuring/working_set.hpp"

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <random>

#include "os/memory/node_memory.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t cache_line = 64;

// What is done between two looks at the clock: some tens of microseconds on a quiet machine.
constexpr std::size_t lines_between_looks = std::size_t{1} << 14U;
constexpr std::size_t words_between_looks = std::size_t{1} << 17U;

/// One random cycle through all lines of the buffer, so that no prefetcher knows the next one (Sattolo's shuffle).
/// False where time was up before it was made.
bool make_chase(char* data, std::size_t lines, const Deadline& until) {
  std::vector<std::uint32_t> next(lines);
  std::iota(next.begin(), next.end(), 0U);
  std::mt19937_64 random(lines);
  for (std::size_t i = lines - 1; i > 0; --i) {
    if (i % lines_between_looks == 0 && until.passed()) return false;
    std::swap(next[i], next[random() % i]);
  }
  for (std::size_t i = 0; i < lines; ++i) {
    if (i % lines_between_looks == 0 && until.passed()) return false;
    *reinterpret_cast<void**>(data + i * cache_line) = data + next[i] * cache_line;
  }
  return true;
}

void* chase(void* at, std::size_t steps) {
  for (std::size_t s = 0; s < steps; ++s) at = *static_cast<void* volatile*>(at);
  return at;
}

std::uint64_t read_all(const std::uint64_t* data, std::size_t words) {
  std::uint64_t sum = 0;
  for (std::size_t i = 0; i < words; ++i) sum += data[i];
  return sum;
}

}  // namespace

WorkingSet working_set(int cpu, int node, std::size_t bytes, double ms, const Deadline& until) {
  const std::size_t lines = std::max<std::size_t>(bytes / cache_line, 2);
  os::NodeMemory memory(lines * cache_line, node, true);
  auto* data = static_cast<char*>(memory.data());
  WorkingSet result;
  std::vector<double> latencies, rates;
  std::atomic<void*> sink{nullptr};
  std::atomic<std::uint64_t> sums{0};
  PinnedThreads one({cpu}, [&](int) {
    if (!make_chase(data, lines, until)) return;
    void* at = data;
    for (std::size_t done = 0; done < std::min<std::size_t>(lines, 1U << 22) && !until.passed();
         done += lines_between_looks)
      at = chase(at, std::min(lines, lines_between_looks));
    const std::size_t steps = std::clamp<std::size_t>(lines, 4096, 1U << 16);
    for (const double end = now_ns() + ms * 1e6; (now_ns() < end || latencies.size() < 3) && !until.passed();) {
      const double begin = now_ns();
      at = chase(at, steps);
      latencies.push_back((now_ns() - begin) / static_cast<double>(steps));
    }
    sink.store(at);
    const std::size_t words = lines * cache_line / sizeof(std::uint64_t);
    const std::size_t passes = std::max<std::size_t>(1, (1U << 18) / (words * sizeof(std::uint64_t)));
    const auto* numbers = reinterpret_cast<const std::uint64_t*>(data);
    for (const double end = now_ns() + ms * 1e6; (now_ns() < end || rates.size() < 3) && !until.passed();) {
      const double begin = now_ns();
      for (std::size_t p = 0; p < passes; ++p) {
        sums.fetch_add(read_all(numbers, words), std::memory_order_relaxed);
        asm volatile("" ::: "memory");  // or one pass would be computed and multiplied
      }
      rates.push_back(static_cast<double>(passes * words * sizeof(std::uint64_t)) / std::max(1.0, now_ns() - begin));
    }
  });
  one.round();
  result.latency_ns = summarise(latencies);
  result.gb_per_s = summarise(rates);
  result.home = os::home_of(data);
  return result;
}

Summary read_rate(int cpu, int node, std::size_t bytes, double ms, const Deadline& until) {
  const std::size_t words = std::max<std::size_t>(bytes / sizeof(std::uint64_t), 1);
  os::NodeMemory memory(words * sizeof(std::uint64_t), node, true);
  auto* data = static_cast<std::uint64_t*>(memory.data());
  std::vector<double> rates;
  std::atomic<std::uint64_t> sums{0};
  PinnedThreads one({cpu}, [&](int) {
    for (std::size_t done = 0; done < words; done += words_between_looks) {
      if (until.passed()) return;
      std::fill_n(data + done, std::min(words - done, words_between_looks), 1);
    }
    for (const double end = now_ns() + ms * 1e6; (now_ns() < end || rates.size() < 3) && !until.passed();) {
      const double begin = now_ns();
      sums.fetch_add(read_all(data, words), std::memory_order_relaxed);
      rates.push_back(static_cast<double>(words * sizeof(std::uint64_t)) / std::max(1.0, now_ns() - begin));
    }
  });
  one.round();
  return summarise(rates);
}

Summary write_once(const std::vector<int>& cpus, std::size_t bytes, double ms, const Deadline& until) {
  os::NodeMemory memory(bytes, -1, true);
  auto* data = static_cast<unsigned char*>(memory.data());
  std::atomic<unsigned> value{1};
  PinnedThreads threads(cpus, [&](int rank) {
    const std::size_t from = bytes * static_cast<std::size_t>(rank) / cpus.size();
    const std::size_t to = bytes * (static_cast<std::size_t>(rank) + 1) / cpus.size();
    std::fill(data + from, data + to, static_cast<unsigned char>(value.load(std::memory_order_relaxed)));
  });
  std::vector<double> samples;
  if (until.passed()) return {};
  threads.round();
  for (const double end = now_ns() + ms * 1e6; (now_ns() < end || samples.size() < 3) && !until.passed();) {
    value.fetch_add(1);
    samples.push_back(threads.round());
    if (samples.size() >= 1000) break;
  }
  return summarise(samples);
}

}  // namespace charm::probe
