#include "stealing/work_flags.hpp"

#include <charm/error.hpp>

#include <string>

namespace charm::stealing {

namespace {
constexpr std::size_t line = 64 / sizeof(WorkFlags::Word);
std::size_t padded(std::size_t words) { return (words + line - 1) / line * line; }
}  // namespace

WorkFlags::Words WorkFlags::make(std::size_t count) {
  auto* words =
      static_cast<std::atomic<Word>*>(::operator new[](count * sizeof(std::atomic<Word>), std::align_val_t{64}));
  for (std::size_t i = 0; i < count; ++i) new (words + i) std::atomic<Word>(0);
  return Words(words);
}

WorkFlags::WorkFlags(int groups, int capacity)
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

int WorkFlags::count(Flag flag, int group) const {
  int sum = 0;
  for (int w = 0; w < words(group); ++w) sum += std::popcount(word(flag, group, w));
  return sum;
}

Place WorkFlags::join(int group) {
  for (int w = 0; w < words_per_group_; ++w) {
    std::atomic<Word>& members = at(Flag::member, group, w);
    Word seen = members.load(std::memory_order_relaxed);
    while (seen != ~Word{0}) {
      const int free = std::countr_one(seen);
      // Before the member flag is set, so that a thief that sees the flag reads enough words.
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
              "make the work flags for as many workers as may gather there");
}

void WorkFlags::leave(Place place) {
  clear(Flag::work, place);
  clear(Flag::busy, place);
  clear(Flag::asleep, place);
  clear(Flag::member, place);
}

void WorkFlags::set(Flag flag, Place place) {
  at(flag, place.group, place.slot / word_bits).fetch_or(bit(place.slot), std::memory_order_seq_cst);
  if (!summarised(flag)) return;
  std::atomic<Word>& sum = total(flag, place.group / word_bits);
  if ((sum.load(std::memory_order_seq_cst) & bit(place.group)) == 0)
    sum.fetch_or(bit(place.group), std::memory_order_seq_cst);
}

void WorkFlags::clear(Flag flag, Place place) {
  std::atomic<Word>& flags = at(flag, place.group, place.slot / word_bits);
  if ((flags.load(std::memory_order_relaxed) & bit(place.slot)) == 0) return;
  const Word before = flags.fetch_and(~bit(place.slot), std::memory_order_seq_cst);
  if (!summarised(flag) || (before & ~bit(place.slot)) != 0) return;
  auto none = [&] {
    for (int w = 0; w < words(place.group); ++w) {
      if (word(flag, place.group, w) != 0) return false;
    }
    return true;
  };
  if (!none()) return;
  std::atomic<Word>& sum = total(flag, place.group / word_bits);
  sum.fetch_and(~bit(place.group), std::memory_order_seq_cst);
  if (!none()) sum.fetch_or(bit(place.group), std::memory_order_seq_cst);
}

}  // namespace charm::stealing
