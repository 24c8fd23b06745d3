// offsetof in classes that derive from others is conditionally supported by the language; GCC and Clang support it.
#include "sched/debug/gdb_layout.hpp"

#include <cstddef>

#include "sched/run/arenas.hpp"
#include "sched/run/runtime.hpp"

#pragma GCC diagnostic ignored "-Winvalid-offsetof"

namespace charm::sched {

/// The friend of workers and stack pools, for their private parts.
struct GdbLayout {
  static constexpr std::int64_t pools = offsetof(Runtime, stacks) + offsetof(StackPools, pools_);
  static constexpr std::int64_t idle = offsetof(StackPools::Pool, idle);
  static constexpr std::int64_t all = offsetof(StackPools::Pool, all);
  static constexpr std::int64_t worker_core = offsetof(Worker, worker_core_);
  static constexpr std::int64_t native = offsetof(Worker, native_);
  static constexpr std::int64_t free_fibers = offsetof(Worker, free_fibers_);
};

namespace {

using fiber::Fiber;

// What a task tells of itself, where fibers carry it.
#define CHARM_CARD(member)                                        \
  []<class F>(F*) -> std::int64_t {                               \
    if constexpr (requires(F& f) { f.card.member; })              \
      return static_cast<std::int64_t>(offsetof(F, card.member)); \
    else                                                          \
      return -1;                                                  \
  }(static_cast<Fiber*>(nullptr))

#if defined(__GLIBCXX__)
constexpr std::int64_t set_first = 2 * sizeof(void*);  // of std::unordered_set: behind the buckets and their number
#else
constexpr std::int64_t set_first = -1;
#endif

}  // namespace
}  // namespace charm::sched

using namespace charm::sched;  // NOLINT: the table below is the file

extern "C" const CharmGdbEntry charm_gdb_layout[] = {
    {"version", 1},
    {"runtime.workers", offsetof(Runtime, workers)},
    {"runtime.pools", GdbLayout::pools},
    {"runtime.arenas", offsetof(Runtime, family) + offsetof(Family, arenas)},
    {"arena.runtime", offsetof(charm::detail::ArenaState, runtime)},
    {"arena.name", offsetof(charm::detail::ArenaState, name)},
    {"pool.idle", GdbLayout::idle},
    {"pool.all", GdbLayout::all},
    {"set.first", set_first},
    {"worker.id", offsetof(Worker, id)},
    {"worker.slot", offsetof(Worker, slot)},
    {"worker.cpu", GdbLayout::worker_core + offsetof(charm::WorkerCore, cpu)},
    {"worker.chiplet", GdbLayout::worker_core + offsetof(charm::WorkerCore, chiplet)},
    {"worker.node", GdbLayout::worker_core + offsetof(charm::WorkerCore, node)},
    {"worker.current", offsetof(Worker, current)},
    {"worker.native", GdbLayout::native},
    {"worker.free_fibers", GdbLayout::free_fibers},
    {"worker.jobs", offsetof(Worker, tally) + offsetof(Tally, jobs)},
    {"fiber.next", offsetof(Fiber, next)},
    {"fiber.context", offsetof(Fiber, context)},
    {"fiber.bound", offsetof(Fiber, bound)},
    {"fiber.stack", offsetof(Fiber, stack)},
    {"card.id", CHARM_CARD(id)},
    {"card.state", CHARM_CARD(state)},
    {"card.wait", CHARM_CARD(wait)},
    {"card.object", CHARM_CARD(object)},
    {"card.function", CHARM_CARD(function)},
    {"card.name", CHARM_CARD(name)},
    {nullptr, 0},
};
