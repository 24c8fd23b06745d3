// RandomAccess by the rules of the HPC Challenge: the table has a power of two words, a worker may look ahead and store
// up to 1024 updates, and up to 1 % of the words may end up wrong, so that workers need not lock what they update. A
// worker draws a lot of updates, asks for their words' lines, and only then makes them: as many cache misses are under
// way as the core can have, instead of one or two. P. Luszczek et al., "Introduction to the HPC Challenge benchmark
// suite", SC 2005; CHARM §5.1.
#include "workloads/gups/gups.hpp"

#include <algorithm>

#include "workloads/executor/all.hpp"
#include "workloads/executor/parts.hpp"
#include "workloads/gups/lots.hpp"
#include "workloads/relaxed.hpp"

namespace charm::workloads {
namespace {

constexpr Index grain = 1 << 16;

template <class Update>
void updates(Table& table, Index first, Index last, Update update) {
  const std::uint64_t mask = static_cast<std::uint64_t>(table.size()) - 1;
  make_updates(
      first, last, [](std::uint64_t /*x*/) { return true; },
      [&](std::uint64_t x) -> std::uint64_t& { return table[static_cast<Index>(x & mask)]; }, update);
}

/// In stretches of some milliseconds, so that a worker of CHARM comes to boundaries at which its controller sees what
/// was done and can move it.
template <Executor E, class Update>
void all_updates(E& e, Table& table, Update update) {
  constexpr Index stretch = 1 << 16;
  const Index total = updates_of(table.size());
  e.parallel_for(0, total, std::clamp(total / (16 * e.workers()), look_ahead, stretch),
                 [&](Index lo, Index hi) { updates(table, lo, hi, update); });
}

constexpr auto update_exactly = [](std::uint64_t& word, std::uint64_t x) {
  std::atomic_ref<std::uint64_t>(word).fetch_xor(x, std::memory_order_relaxed);
};

}  // namespace

template <Executor E>
void fill_table(E& e, Table& table) {
  for_parts(e, table.size(), grain, [&](Index lo, Index hi) {
    for (Index i = lo; i < hi; ++i) table[i] = static_cast<std::uint64_t>(i);
  });
}

/// Workers lose an update when they meet on a word. In a table of the size that the benchmark is for they hardly do; in
/// a small one they would lose more than the rules allow, and pay for exact updates instead.
template <Executor E>
void update_table(E& e, Table& table) {
  constexpr Index words_per_worker = Index{1} << 19;
  if (e.workers() == 1 || table.size() >= words_per_worker * e.workers()) {
    all_updates(e, table, [](std::uint64_t& word, std::uint64_t x) { store(word, load(word) ^ x); });
  } else {
    all_updates(e, table, update_exactly);
  }
}

template <Executor E>
Index count_errors(E& e, Table& table) {
  all_updates(e, table, update_exactly);
  return reduce_parts(
      e, table.size(), grain, Index{0},
      [&](Index lo, Index hi, Index wrong) {
        for (Index i = lo; i < hi; ++i) wrong += table[i] != static_cast<std::uint64_t>(i);
        return wrong;
      },
      [](Index a, Index b) { return a + b; });
}

#define CHARM_WORKLOADS_INSTANTIATE(Type)          \
  template void fill_table<Type>(Type&, Table&);   \
  template void update_table<Type>(Type&, Table&); \
  template Index count_errors<Type>(Type&, Table&);
CHARM_WORKLOADS_EXECUTORS(CHARM_WORKLOADS_INSTANTIATE)
#undef CHARM_WORKLOADS_INSTANTIATE

}  // namespace charm::workloads
