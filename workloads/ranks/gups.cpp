// RandomAccess on several ranks (see gups/gups.hpp): the table and the stream are divided among the ranks. A rank makes
// the updates of its own words, and sends the others to their owners in lots; at most 1024 of a worker's wait, as the
// rules of the benchmark allow.
#include "workloads/gups/gups.hpp"

#include <charm/remote.hpp>

#include <algorithm>
#include <atomic>

#include <fmt/format.h>

#include "workloads/executor/charm.hpp"
#include "workloads/gups/lots.hpp"
#include "workloads/ranks/outbox.hpp"
#include "workloads/ranks/rank_bench.hpp"
#include "workloads/ranks/together.hpp"
#include "workloads/relaxed.hpp"
#include "workloads/trial.hpp"

namespace charm::workloads {
namespace {

constexpr double errors_allowed = .01;
constexpr std::size_t most_waiting = 1024;
constexpr Index grain = 1 << 16;

class RankTable {
 public:
  RankTable(CharmExecutor& e, Index words)
      : e_(e),
        me_(remote::rank()),
        rows_(words, 1, remote::ranks()),
        first_(rows_.begin(me_)),
        table_(std::max<Index>(1, rows_.end(me_) - first_)),
        mask_(static_cast<std::uint64_t>(words) - 1),
        everywhere_(*this) {}

  void fill() {
    e_.parallel_for(0, own_words(), grain, [this](Index lo, Index hi) {
      for (Index i = lo; i < hi; ++i) table_[i] = static_cast<std::uint64_t>(first_ + i);
    });
  }

  /// \param exactly no update is lost where workers meet on a word.
  void update(bool exactly) {
    exactly_ = exactly;
    remote::barrier();  // all ranks know it
    const Index total = updates_of(rows_.size());
    e_.team([&](int member, int members) {
      const Index parts = Index{remote::ranks()} * members;
      auto bound = [&](Index k) { return total / parts * k + std::min(k, total % parts); };
      const Index part = Index{me_} * members + member;
      Outbox<std::uint64_t, RankTable> out(everywhere_, most_waiting - look_ahead);
      auto own = [&](std::uint64_t x) {
        const int owner = rows_.owner(static_cast<Index>(x & mask_));
        if (owner == me_) return true;
        out.add(owner, x);
        return false;
      };
      auto word = [this](std::uint64_t x) -> std::uint64_t& { return word_of(x); };
      if (exactly)
        make_updates(bound(part), bound(part + 1), own, word, update_exactly);
      else
        make_updates(bound(part), bound(part + 1), own, word, update_plainly);
      out.flush();
    });
  }

  /// Updates of own words that another rank has drawn.
  void receive(std::span<const std::uint64_t> lot) {
    for (const std::uint64_t x : lot) __builtin_prefetch(&word_of(x), 1);
    if (exactly_)
      for (const std::uint64_t x : lot) update_exactly(word_of(x), x);
    else
      for (const std::uint64_t x : lot) update_plainly(word_of(x), x);
  }

  Index wrong_words() {
    return e_.parallel_reduce(
        0, own_words(), grain, Index{0},
        [this](Index lo, Index hi, Index wrong) {
          for (Index i = lo; i < hi; ++i) wrong += table_[i] != static_cast<std::uint64_t>(first_ + i);
          return wrong;
        },
        [](Index a, Index b) { return a + b; });
  }

 private:
  static constexpr auto update_exactly = [](std::uint64_t& word, std::uint64_t x) {
    std::atomic_ref<std::uint64_t>(word).fetch_xor(x, std::memory_order_relaxed);
  };
  static constexpr auto update_plainly = [](std::uint64_t& word, std::uint64_t x) { store(word, load(word) ^ x); };

  [[nodiscard]] Index own_words() const { return rows_.end(me_) - first_; }
  std::uint64_t& word_of(std::uint64_t x) { return table_[static_cast<Index>(x & mask_) - first_]; }

  CharmExecutor& e_;
  const int me_;
  const Division rows_;
  const Index first_;
  Table table_;
  const std::uint64_t mask_;
  bool exactly_ = true;
  Everywhere<RankTable> everywhere_;
};

}  // namespace

KernelRun run_gups_on_ranks(int log2_words) {
  gups_bytes(log2_words);
  const Index words = Index{1} << log2_words;
  constexpr Index words_per_worker = Index{1} << 19;  // as in gups.cpp
  CharmExecutor e;
  KernelRun result{"gups", "charm", "GUP/s", {}, {}, true, {}};
  RankTable table(e, words);
  table.fill();
  const bool exactly = e.workers() > 1 && words / remote::ranks() < words_per_worker * e.workers();
  Trial trial;
  trial.seconds = seconds_of_ranks([&] { table.update(exactly); });
  table.update(true);
  remote::barrier();
  const Index wrong = sum_of_ranks(table.wrong_words());
  const double errors = static_cast<double>(wrong) / static_cast<double>(words);
  trial.work = static_cast<double>(updates_of(words));
  trial.detail = fmt::format("error rate {:.4f} %", errors * 100);
  if (errors > errors_allowed) trial.wrong = trial.detail + ", the rules allow 1 %";
  add(result, trial);
  return result;
}

}  // namespace charm::workloads
