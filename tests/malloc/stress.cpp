// stress OPERATIONS [THREADS [SEED]]: so many random operations of malloc(3) by several threads, which free each
// other's blocks. Every block holds a pattern from its address, its size and its number, which is checked whenever the
// block is touched again: overlapping blocks, lost bytes and blocks that are given twice are found. Blocks of all
// sizes, some huge; realloc, calloc, aligned ones; threads that end and begin anew; a fork now and then.
//
// For jemalloc's own assertions build libcharm_malloc.so around its debug build: configure jemalloc 5.3 with
// --enable-debug, and CHARM with -DJEMALLOC_PIC=.../lib/libjemalloc_pic.a.
#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <malloc.h>
#include <thread>
#include <unistd.h>
#include <vector>

#include <sys/wait.h>

namespace {

struct Block {
  unsigned char* data = nullptr;
  std::size_t bytes = 0;
  std::uint64_t number = 0;
};

[[noreturn]] void fail(const char* what, const Block& block) {
  std::fprintf(stderr, "stress: %s: block %p of %zu bytes\n", what, static_cast<void*>(block.data), block.bytes);
  std::abort();
}

std::uint64_t next(std::uint64_t& state) {
  state += 0x9e3779b97f4a7c15U;
  std::uint64_t z = state;
  z = (z ^ (z >> 30U)) * 0xbf58476d1ce4e5b9U;
  z = (z ^ (z >> 27U)) * 0x94d049bb133111ebU;
  return z ^ (z >> 31U);
}

unsigned char mark(const Block& block, std::size_t at) {
  return static_cast<unsigned char>(block.number * 31 + at * 7 + block.bytes);
}

/// The first and last bytes, and some between: a page of a large block is touched now and then.
template <class Visit>
void for_some_bytes(std::size_t bytes, Visit visit) {
  const std::size_t step = bytes <= 64 ? 1 : bytes <= 65536 ? 61 : 40009;
  for (std::size_t at = 0; at < bytes; at += step) visit(at);
  if (bytes > 0) visit(bytes - 1);
}

void write(Block& block) {
  for_some_bytes(block.bytes, [&](std::size_t at) { block.data[at] = mark(block, at); });
}
void check(const Block& block, std::size_t bytes, const char* what) {
  const std::size_t step = block.bytes <= 64 ? 1 : block.bytes <= 65536 ? 61 : 40009;
  for (std::size_t at = 0; at < bytes; at += step) {
    if (block.data[at] != mark(block, at)) fail(what, block);
  }
}

std::size_t random_size(std::uint64_t draw) {
  const std::uint64_t kind = draw % 100'000;
  draw >>= 20U;
  if (kind < 90'000) return draw % 512;
  if (kind < 99'000) return draw % 16'384;
  if (kind < 99'900) return draw % 400'000;
  if (kind < 99'990) return draw % (std::size_t{3} << 20U);
  return (std::size_t{4} << 20U) + draw % (std::size_t{12} << 20U);
}

constexpr std::size_t shared_slots = 1024;
std::atomic<Block*> shared[shared_slots];
std::atomic<std::uint64_t> numbers{1};

Block made(std::uint64_t& random) {
  Block block;
  block.bytes = random_size(next(random));
  block.number = numbers.fetch_add(1, std::memory_order_relaxed);
  const std::uint64_t way = next(random) % 16;
  if (way < 12) {
    block.data = static_cast<unsigned char*>(std::malloc(block.bytes));
  } else if (way < 14) {
    block.data = static_cast<unsigned char*>(std::calloc(1, block.bytes));
    for_some_bytes(block.bytes, [&](std::size_t at) {
      if (block.data != nullptr && block.data[at] != 0) fail("calloc is not zero", block);
    });
  } else {
    const std::size_t alignment = std::size_t{8} << (next(random) % 12);
    void* data = nullptr;
    if (posix_memalign(&data, alignment, block.bytes) != 0) data = nullptr;
    block.data = static_cast<unsigned char*>(data);
    if (reinterpret_cast<std::uintptr_t>(data) % alignment != 0) fail("not aligned", block);
  }
  if (block.data == nullptr) fail("no memory", block);
  if (malloc_usable_size(block.data) < block.bytes) fail("too small", block);
  write(block);
  return block;
}

void freed(const Block& block) {
  check(block, block.bytes, "overwritten");
  std::free(block.data);
}

void work(std::uint64_t operations, std::uint64_t seed) {
  std::uint64_t random = seed;
  std::vector<Block> own(512);
  for (std::uint64_t i = 0; i < operations; ++i) {
    Block& slot = own[next(random) % own.size()];
    const std::uint64_t what = next(random) % 64;
    if (slot.data == nullptr) {
      slot = made(random);
    } else if (what < 8) {
      const Block before = slot;
      const std::size_t bytes = random_size(next(random)) + 1;
      auto* data = static_cast<unsigned char*>(std::realloc(slot.data, bytes));
      if (data == nullptr) fail("realloc: no memory", slot);
      slot.data = data;
      Block kept = before;
      kept.data = data;
      check(kept, before.bytes < bytes ? before.bytes : bytes, "realloc has lost something");
      slot.bytes = bytes;
      write(slot);
    } else if (what < 24) {  // to another thread
      auto* handed = new Block(slot);
      slot = {};
      if (Block* other = shared[next(random) % shared_slots].exchange(handed, std::memory_order_acq_rel)) {
        freed(*other);
        delete other;
      }
    } else {
      freed(slot);
      slot = {};
    }
  }
  for (const Block& block : own) {
    if (block.data != nullptr) freed(block);
  }
}

void fork_once(std::uint64_t seed) {
  const pid_t child = fork();
  if (child == 0) {
    alarm(120);
    work(2000, seed);
    _exit(0);
  }
  int status = 0;
  if (child < 0 || waitpid(child, &status, 0) != child || status != 0) {
    std::fprintf(stderr, "stress: a child ended with status %d\n", status);
    std::abort();
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::uint64_t operations = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 0;
  const std::uint64_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 4;
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  if (operations == 0 || threads == 0) {
    std::fprintf(stderr, "usage: stress OPERATIONS [THREADS [SEED]]\n");
    return 2;
  }
  constexpr std::uint64_t rounds = 8;  // in each the threads are new
  for (std::uint64_t round = 0; round < rounds; ++round) {
    std::vector<std::thread> all;
    for (std::uint64_t t = 0; t < threads; ++t)
      all.emplace_back(work, operations / threads / rounds, seed * 1000 + round * threads + t);
    fork_once(seed + round);
    for (auto& thread : all) thread.join();
  }
  for (auto& slot : shared) {
    if (Block* block = slot.exchange(nullptr)) {
      freed(*block);
      delete block;
    }
  }
  std::puts("done");
}
