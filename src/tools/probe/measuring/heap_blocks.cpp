#include "tools/probe/measuring/heap_blocks.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

#include "os/memory/node_memory.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"
#include "tools/probe/measuring/samples.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t touched_bytes = 4096;  // the smallest page
constexpr std::size_t huge_bytes = std::size_t{8} << 20U;
constexpr int pages_looked_at = 1024;

/// A block that the compiler cannot see through.
char* heap_block(std::size_t bytes) {
  void* volatile block = std::malloc(bytes);
  return static_cast<char*>(block);
}

void refuse_unbound(const PinnedThreads& threads) {
  if (!threads.bound())
    throw Error(Errc::system, "a thread cannot be bound to a cpu that was named", "name cpus that may be used");
}

std::uint64_t words_added(const std::uint64_t* words, std::size_t count) {
  std::uint64_t sums[8] = {};  // more than one chain, or the additions' latency would be measured
  for (std::size_t i = 0; i + 8 <= count; i += 8) {
    for (std::size_t k = 0; k < 8; ++k) sums[k] += words[i + k];
  }
  std::uint64_t all = 0;
  for (const std::uint64_t sum : sums) all += sum;
  return all;
}

class SharedBlock {
 public:
  SharedBlock(const std::vector<int>& cpus, std::size_t bytes)
      : words_(std::max<std::size_t>(bytes / sizeof(std::uint64_t), 64 * cpus.size())),
        count_(cpus.size()),
        threads_(cpus, [this](int rank) { work(static_cast<std::size_t>(rank)); }) {
    threads_.round();
    refuse_unbound(threads_);
    if (block_ == nullptr) {
      throw Error(Errc::system, "malloc has no block of " + std::to_string(bytes >> 20U) + " MiB",
                  "take a smaller one, or wait for memory");
    }
    step_ = Step::touch;
    threads_.round();
    step_ = Step::read;
    threads_.round();
  }
  ~SharedBlock() { std::free(block_); }
  SharedBlock(const SharedBlock&) = delete;
  SharedBlock& operator=(const SharedBlock&) = delete;

  /// GB/s of one pass.
  double pass() {
    const double ns = threads_.round();
    return static_cast<double>(words_ * sizeof(std::uint64_t)) / std::max(ns, 1.0);
  }

  [[nodiscard]] std::map<int, double> parts() const {
    std::map<int, double> parts;
    const std::size_t bytes = words_ * sizeof(std::uint64_t);
    const std::size_t pages = bytes / touched_bytes;
    const std::size_t looks = std::clamp<std::size_t>(pages, 1, pages_looked_at);
    for (std::size_t i = 0; i < looks; ++i) {
      // Pages are spread in patterns: an odd distance meets all places of one.
      const std::size_t page = i * (std::max<std::size_t>(pages / looks, 1) | 1U) % std::max<std::size_t>(pages, 1);
      const int node = os::home_of(reinterpret_cast<const char*>(block_) + page * touched_bytes);
      if (node < 0) return {};
      parts[node] += 1.0 / static_cast<double>(looks);
    }
    return parts;
  }

 private:
  enum class Step { allocate, touch, read };

  void work(std::size_t rank) {
    if (step_ == Step::allocate) {
      if (rank == 0) block_ = reinterpret_cast<std::uint64_t*>(heap_block(words_ * sizeof(std::uint64_t)));
      return;
    }
    const std::size_t from = words_ * rank / count_;
    const std::size_t end = words_ * (rank + 1) / count_;
    if (step_ == Step::touch) {
      std::fill(block_ + from, block_ + end, std::uint64_t{1});
    } else {
      sink_.fetch_add(words_added(block_ + from, end - from), std::memory_order_relaxed);
    }
  }

  std::size_t words_;
  std::size_t count_;
  Step step_ = Step::allocate;
  std::uint64_t* block_ = nullptr;
  std::atomic<std::uint64_t> sink_{0};  // else nothing would have to be read
  PinnedThreads threads_;               // last: its members use the others
};

/// The median time of a round of `work` by one thread, in ns.
double median_round_ns(int cpu, int rounds, const std::function<void()>& work) {
  PinnedThreads thread({cpu}, [&work](int) { work(); });
  thread.round();
  refuse_unbound(thread);
  std::vector<double> took;
  for (int i = 0; i < rounds; ++i) took.push_back(thread.round());
  return median_of(std::move(took));
}

}  // namespace

BlockRead read_block(const std::vector<int>& cpus, std::size_t bytes, int passes) {
  SharedBlock block(cpus, bytes);
  std::vector<double> rates;
  for (int i = 0; i < passes; ++i) rates.push_back(block.pass());
  return {median_of(std::move(rates)), block.parts()};
}

double small_block_ns(int cpu) {
  constexpr int rounds = 20, batches = 30;
  constexpr std::size_t blocks = 1000, least = 16, sizes = 497, stride = 37;
  std::vector<char*> held(blocks);
  const double ns = median_round_ns(cpu, rounds, [&held] {
    for (int batch = 0; batch < batches; ++batch) {
      for (std::size_t i = 0; i < blocks; ++i) {
        held[i] = heap_block(least + i * stride % sizes);
        if (held[i] != nullptr) held[i][0] = 1;
      }
      for (char* block : held) std::free(block);
    }
  });
  return ns / (batches * static_cast<double>(blocks));
}

double huge_block_us(int cpu) {
  constexpr int rounds = 25;
  return median_round_ns(cpu, rounds,
                         [] {
                           char* block = heap_block(huge_bytes);
                           if (block == nullptr) return;
                           volatile char* data = block;
                           for (std::size_t at = 0; at < huge_bytes; at += touched_bytes) data[at] = 1;
                           std::free(block);
                         }) /
         1000;
}

}  // namespace charm::probe
