// Updates in lots (RandomAccess): a worker draws a lot, asks for its words' lines, and only then makes the updates, so
// that as many cache misses are under way as the core can have, instead of one or two. The rules allow 1024 updates to
// wait.
#pragma once

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

#include "workloads/executor/concept.hpp"
#include "workloads/gups/stream.hpp"

namespace charm::workloads {

constexpr Index look_ahead = 128;  // of the 1024 allowed: more does not help, since a core has fewer misses under way

/// Makes the updates [first, last) of the stream. \param own(x) whether the update is made here; if not, it has gone
/// elsewhere. \param word(x) the word that x updates. \param update(word, x).
template <class Own, class Word, class Update>
void make_updates(Index first, Index last, Own own, Word word, Update update) {
  std::array<std::uint64_t, look_ahead> lot;
  std::uint64_t x = update_at(static_cast<std::uint64_t>(first));
  for (Index done = first; done < last; done += look_ahead) {
    const auto count = static_cast<std::size_t>(std::min(look_ahead, last - done));
    std::size_t kept = 0;
    for (std::size_t i = 0; i < count; ++i) {
      x = next_update(x);
      if (!own(x)) continue;
      lot[kept++] = x;
      __builtin_prefetch(&word(x), 1);
    }
    for (std::size_t i = 0; i < kept; ++i) update(word(lot[i]), lot[i]);
  }
}

}  // namespace charm::workloads
