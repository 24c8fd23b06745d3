#include "duckdb/arenas.hpp"

#include <limits>
#include <map>
#include <mutex>
#include <sched.h>
#include <tuple>

namespace charm::duckdb {
namespace {

constexpr unsigned none = std::numeric_limits<unsigned>::max();

/// By jemalloc (a program may load DuckDB twice), worker and node.
struct Made {
  std::mutex mutex;
  std::map<std::tuple<const void*, int, unsigned>, unsigned> arenas;
};

Made& made() {
  static auto* all = new Made;  // used until the last thread ends
  return *all;
}

}  // namespace

unsigned Arenas::arena_of(int worker) noexcept try {
  unsigned cpu = 0;
  unsigned node = 0;
  if (getcpu(&cpu, &node) != 0) node = 0;
  const std::tuple key{reinterpret_cast<const void*>(mallctl_), worker, node};
  const std::lock_guard lock(made().mutex);
  const auto found = made().arenas.find(key);
  if (found != made().arenas.end()) return found->second;
  unsigned arena = none;
  std::size_t size = sizeof arena;
  if (mallctl_("arenas.create", &arena, &size, nullptr, 0) != 0) return none;
  made().arenas.emplace(key, arena);
  return arena;
} catch (...) {  // no memory for the map
  return none;
}

/// \returns whether the calling thread has `arena`.
bool Arenas::assign(unsigned arena) noexcept {
  unsigned now = none;
  std::size_t size = sizeof now;
  if (mallctl_("thread.arena", &now, &size, nullptr, 0) != 0) return false;
  return now == arena || mallctl_("thread.arena", nullptr, nullptr, &arena, sizeof arena) == 0;
}

void Arenas::enter(int worker) noexcept {
  if (!active()) return;
  const unsigned arena = arena_of(worker);
  if (arena == none || !assign(arena)) active_.store(false, std::memory_order_relaxed);
}

}  // namespace charm::duckdb
