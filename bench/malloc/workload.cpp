// One allocator program of the usual kinds, written anew: bench-malloc runs it under each allocator.
//   malloc_workload KIND THREADS SECONDS     prints "ns-per-operation peak-resident-KiB"
// The ns are of processor time, user and system, of all threads: what else runs on the machine disturbs them little.
// pair:      a block is freed before the next is made.
// batch:     a thousand blocks of 16 to 512 bytes, then all freed (threadtest).
// larson:    threads replace random blocks of a table, and hand the table over to a thread that starts anew.
// xmalloc:   one half of the threads allocates, the other half frees.
// scratch:   each thread writes its own small block again and again, allocated first by one thread (cache-scratch).
// sizes:     random sizes with many small and some of 64 KiB, freed in random order (sh6bench, sh8bench).
// realloc:   vectors that grow by half, among small blocks (rptest).
// huge:      8 MiB, every page touched.
// start:     the start of the program itself, up to main(); no thread, and no time that it runs.
#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include <sys/resource.h>

namespace {

std::atomic<bool> stop{false};
std::atomic<std::uint64_t> operations{0};

std::uint64_t next(std::uint64_t& state) {
  state ^= state << 13U;
  state ^= state >> 7U;
  state ^= state << 17U;
  return state;
}

/// A block that the compiler cannot see through.
void* make(std::size_t bytes) {
  void* volatile block = std::malloc(bytes);
  return block;
}

void pair(std::uint64_t /*seed*/) {
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 1000; ++i) std::free(make(64));
    done += 1000;
  }
  operations += done;
}

void batch(std::uint64_t /*seed*/) {
  std::vector<void*> blocks(1000);
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = make(16 + i * 37 % 497);
    for (void* block : blocks) std::free(block);
    done += blocks.size();
  }
  operations += done;
}

void larson(std::uint64_t seed) {
  auto* table = new std::vector<char*>(1000, nullptr);
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    std::thread heir([&] {  // frees what its predecessor made
      std::uint64_t random = seed + done + 1;
      for (int i = 0; i < 20000; ++i) {
        char*& block = (*table)[next(random) % table->size()];
        std::free(block);
        block = static_cast<char*>(make(10 + next(random) % 500));
        block[0] = 1;
      }
    });
    heir.join();
    done += 20000;
  }
  for (char* block : *table) std::free(block);
  delete table;
  operations += done;
}

std::mutex queue_mutex;
std::deque<std::vector<void*>> queue;

void xmalloc(std::uint64_t seed) {
  std::uint64_t random = seed;
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    std::vector<void*> blocks;
    if (seed % 2 == 1) {
      for (int i = 0; i < 256; ++i) blocks.push_back(make(16 + next(random) % 400));
      done += 256;
      const std::lock_guard lock(queue_mutex);
      if (queue.size() < 64) {
        queue.push_back(std::move(blocks));
        continue;
      }
    } else {
      const std::lock_guard lock(queue_mutex);
      if (!queue.empty()) {
        blocks = std::move(queue.front());
        queue.pop_front();
      }
    }
    for (void* block : blocks) std::free(block);
    if (blocks.empty()) std::this_thread::yield();
  }
  operations += done;
}

std::array<void*, 256> given;

void scratch(std::uint64_t seed) {
  std::free(given[seed % given.size()]);
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    auto* block = static_cast<volatile char*>(make(8));
    for (int i = 0; i < 1000; ++i) block[i % 8] = static_cast<char>(i);
    std::free(const_cast<char*>(block));
    done += 1;
  }
  operations += done;
}

void sizes(std::uint64_t seed) {
  std::vector<void*> blocks(5000, nullptr);
  std::uint64_t random = seed;
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    for (int i = 0; i < 1000; ++i) {
      void*& block = blocks[next(random) % blocks.size()];
      std::free(block);
      const std::uint64_t kind = next(random) % 100;
      block = make(kind < 80 ? 1 + next(random) % 128 : kind < 99 ? 1 + next(random) % 4096 : 1 + next(random) % 65536);
    }
    done += 1000;
  }
  for (void* block : blocks) std::free(block);
  operations += done;
}

void grow(std::uint64_t seed) {
  std::uint64_t random = seed;
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    void* block = nullptr;
    std::array<void*, 32> small{};
    std::size_t bytes = 16;
    for (std::size_t i = 0; i < small.size(); ++i) {
      block = std::realloc(block, bytes);
      small[i] = make(next(random) % 300);
      bytes = std::min<std::size_t>(bytes + bytes / 2, 1U << 20U);
      done += 2;
    }
    std::free(block);
    for (void* each : small) std::free(each);
  }
  operations += done;
}

void huge(std::uint64_t /*seed*/) {
  constexpr std::size_t bytes = std::size_t{8} << 20U;
  std::uint64_t done = 0;
  while (!stop.load(std::memory_order_relaxed)) {
    auto* block = static_cast<volatile char*>(make(bytes));
    for (std::size_t at = 0; at < bytes; at += 4096) block[at] = 1;
    std::free(const_cast<char*>(block));
    ++done;
  }
  operations += done;
}

void start(std::uint64_t /*seed*/) {}

struct Kind {
  const char* name;
  void (*run)(std::uint64_t seed);
};
constexpr Kind kinds[] = {{"pair", pair},       {"batch", batch},     {"larson", larson},
                          {"xmalloc", xmalloc}, {"scratch", scratch}, {"sizes", sizes},
                          {"realloc", grow},    {"huge", huge},       {"start", start}};

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) return 2;
  const auto* kind = std::find_if(std::begin(kinds), std::end(kinds),
                                  [&](const Kind& each) { return std::string(each.name) == argv[1]; });
  if (kind == std::end(kinds)) return 2;
  if (kind->run != start) {
    const auto threads = static_cast<std::uint64_t>(std::atoi(argv[2]));
    for (void*& block : given) block = make(8);
    std::vector<std::thread> all;
    for (std::uint64_t i = 0; i < threads; ++i) all.emplace_back(kind->run, i + 1);
    std::this_thread::sleep_for(std::chrono::duration<double>(std::atof(argv[3])));
    stop = true;
    for (auto& thread : all) thread.join();
  }
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto ns = [](const timeval& time) {
    return 1e9 * static_cast<double>(time.tv_sec) + 1e3 * static_cast<double>(time.tv_usec);
  };
  const double took = ns(used.ru_utime) + ns(used.ru_stime);
  std::printf("%.4f %ld\n", took / static_cast<double>(std::max<std::uint64_t>(1, operations.load())), used.ru_maxrss);
}
