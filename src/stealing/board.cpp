#include "stealing/board.hpp"

#include <charm/error.hpp>

#include <string>

namespace charm::stealing {

namespace {
constexpr std::size_t line = 64 / sizeof(Board::Word);
std::size_t padded(std::size_t words) { return (words + line - 1) / line * line; }
}  // namespace

Board::Words Board::make(std::size_t count) {
  auto* words =
      static_cast<std::atomic<Word>*>(::operator new[](count * sizeof(std::atomic<Word>), std::align_val_t{64}));
  for (std::size_t i = 0; i < count; ++i) new (words + i) std::atomic<Word>(0);
  return Words(words);
}

Board::Board(int groups, int capacity)
    : groups_(groups),
      words_per_group_((capacity + word_bits - 1) / word_bits),
      stride_(padded(static_cast<std::size_t>(words_per_group_))),
      summary_stride_((static_cast<std::size_t>(groups) + word_bits - 1) / word_bits),
      summary_padded_(padded(summary_stride_)),
      words_(make(kinds * static_cast<std::size_t>(groups) * stride_)),
      summaries_(make(2 * summary_padded_)),
      used_(new std::atomic<int>[static_cast<std::size_t>(groups)]) {
  for (int g = 0; g < groups; ++g) used_[static_cast<std::size_t>(g)].store(1, std::memory_order_relaxed);
}

int Board::count(Mark mark, int group) const {
  int sum = 0;
  for (int w = 0; w < words(group); ++w) sum += std::popcount(word(mark, group, w));
  return sum;
}

Place Board::join(int group) {
  for (int w = 0; w < words_per_group_; ++w) {
    std::atomic<Word>& members = at(Mark::member, group, w);
    Word seen = members.load(std::memory_order_relaxed);
    while (seen != ~Word{0}) {
      const int free = std::countr_one(seen);
      // Before the member can be seen, so that nobody who sees it stops at a word too few.
      std::atomic<int>& used = used_[static_cast<std::size_t>(group)];
      int most = used.load(std::memory_order_relaxed);
      while (most < w + 1 && !used.compare_exchange_weak(most, w + 1, std::memory_order_seq_cst)) {
      }
      if (members.compare_exchange_weak(seen, seen | bit(free), std::memory_order_seq_cst)) {
        return {group, w * word_bits + free};
      }
    }
  }
  throw Error(Errc::bad_input, "no slot is left on chiplet group " + std::to_string(group),
              "make the board for as many workers as may gather there");
}

void Board::leave(Place place) {
  clear(Mark::work, place);
  clear(Mark::busy, place);
  clear(Mark::asleep, place);
  clear(Mark::member, place);
}

void Board::set(Mark mark, Place place) {
  at(mark, place.group, place.slot / word_bits).fetch_or(bit(place.slot), std::memory_order_seq_cst);
  if (!summarised(mark)) return;
  std::atomic<Word>& sum = total(mark, place.group / word_bits);
  if ((sum.load(std::memory_order_seq_cst) & bit(place.group)) == 0)
    sum.fetch_or(bit(place.group), std::memory_order_seq_cst);
}

void Board::clear(Mark mark, Place place) {
  std::atomic<Word>& marks = at(mark, place.group, place.slot / word_bits);
  if ((marks.load(std::memory_order_relaxed) & bit(place.slot)) == 0) return;
  const Word before = marks.fetch_and(~bit(place.slot), std::memory_order_seq_cst);
  if (!summarised(mark) || (before & ~bit(place.slot)) != 0) return;
  auto none = [&] {
    for (int w = 0; w < words(place.group); ++w) {
      if (word(mark, place.group, w) != 0) return false;
    }
    return true;
  };
  if (!none()) return;
  std::atomic<Word>& sum = total(mark, place.group / word_bits);
  sum.fetch_and(~bit(place.group), std::memory_order_seq_cst);
  if (!none()) sum.fetch_or(bit(place.group), std::memory_order_seq_cst);
}

}  // namespace charm::stealing
