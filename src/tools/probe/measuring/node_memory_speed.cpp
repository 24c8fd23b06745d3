#include "tools/probe/measuring/node_memory_speed.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <numeric>
#include <string>

#include "base/random.hpp"
#include "os/memory/node_memory.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t line_bytes = 64;

}  // namespace

os::NodeMemory memory_on(std::size_t bytes, int node) {
  os::NodeMemory memory(bytes, node, true);
  if (!memory.bound()) {
    throw Error(Errc::system, "memory cannot be bound to node " + std::to_string(node),
                "allow mbind in the container (CAP_SYS_NICE with Docker), or write the model by hand");
  }
  return memory;
}

std::uint64_t sum_of_words(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[8] = {};
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += words[i + k];
  }
  return std::accumulate(std::begin(sums), std::end(sums), std::uint64_t{0});
}

double read_gb_per_s(const std::vector<int>& cpus, const std::vector<int>& nodes, std::size_t bytes_each, int rounds) {
  const std::size_t part = std::max<std::size_t>(line_bytes, bytes_each / nodes.size() / line_bytes * line_bytes);
  std::vector<std::vector<os::NodeMemory>> parts(cpus.size());
  for (auto& mine : parts) {
    for (const int node : nodes) mine.push_back(memory_on(part, node));
  }
  std::atomic<std::uint64_t> result{0};  // else nothing would have to be read
  bool touch = true;
  PinnedThreads threads(cpus, [&](int rank) {
    for (os::NodeMemory& memory : parts[static_cast<std::size_t>(rank)]) {
      auto* words = static_cast<std::uint64_t*>(memory.data());
      if (touch) {
        std::fill_n(words, part / sizeof *words, std::uint64_t{1});
      } else {
        result.fetch_add(sum_of_words(words, part / sizeof *words), std::memory_order_relaxed);
      }
    }
  });
  threads.round();
  touch = false;
  double least_ns = 0;
  for (int i = 0; i < rounds; ++i) {
    const double ns = threads.round();
    if (i == 0 || ns < least_ns) least_ns = ns;
  }
  return static_cast<double>(part * nodes.size() * cpus.size()) / least_ns;
}

double read_latency_ns(int cpu, int node, std::size_t bytes, int rounds) {
  const os::NodeMemory memory = memory_on(bytes, node);
  const std::size_t lines = bytes / line_bytes;
  auto* data = static_cast<std::byte*>(memory.data());
  const auto next_of = [&](std::size_t line) -> std::size_t& {
    return *reinterpret_cast<std::size_t*>(data + line * line_bytes);
  };
  std::atomic<std::size_t> at{0};
  constexpr std::size_t steps = 200'000;
  bool link = true;
  PinnedThreads thread({cpu}, [&](int) {
    if (link) {  // one cycle through all lines, in random order
      std::vector<std::size_t> order(lines);
      std::iota(order.begin(), order.end(), std::size_t{0});
      base::Random(1).shuffle(order);
      for (std::size_t i = 0; i < lines; ++i) next_of(order[i]) = order[(i + 1) % lines];
      return;
    }
    std::size_t line = at.load(std::memory_order_relaxed);
    for (std::size_t i = 0; i < steps; ++i) line = next_of(line);
    at.store(line, std::memory_order_relaxed);
  });
  thread.round();
  link = false;
  double least_ns = 0;
  for (int i = 0; i < rounds; ++i) {
    const double ns = thread.round() / static_cast<double>(steps);
    if (i == 0 || ns < least_ns) least_ns = ns;
  }
  return least_ns;
}

}  // namespace charm::probe
