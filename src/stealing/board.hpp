// The board where workers note what others must know of them, as bitmaps: a bit per worker and group for each kind of
// mark, and for some kinds a bit per group that says whether any worker of it has the mark. A thief reads one word to
// know which of 64 neighbours have work, and touches only those.
//
// A worker has a place: a group and a slot of it, taken by join() and given back by leave(). The lowest free slot is
// taken, so that the words in use stay few although any number of workers may gather in a group.
//
// Invariants
//  B1  A slot belongs to one worker at a time. Only the worker at a place sets its marks; others may clear `work` only.
//  B2  A group's bit in the summary is clear only where the group has no mark of the kind, but for the moment between a
//      set() and its return. set() sets the mark before it reads the summary; clear() clears the summary before it
//      reads the marks again, and puts it back if there is one; all of it sequentially consistent.
//  B3  (for those who clear another's `work`) The owner makes work visible, then reads its mark, and sets it if it is
//      clear. Whoever clears reads the queues again after that, and sets the mark again if they hold something. All
//      four sequentially consistent: so work that is visible and not marked has an owner who is about to mark it.
// Lock-free throughout; nobody waits.
#pragma once

#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <new>

namespace charm::stealing {

struct Place {
  int group = -1;
  int slot = -1;
  explicit operator bool() const { return group >= 0; }
  friend bool operator==(const Place&, const Place&) = default;
};

/// member: somebody sits there. work: has something that can be taken. busy: runs something, so it may be worth asking.
/// asleep: parked.
enum class Mark : std::uint8_t { member, work, busy, asleep };

class Board {
 public:
  using Word = std::uint64_t;
  static constexpr int word_bits = 64;

  /// \param capacity the most workers that may ever sit in one group.
  Board(int groups, int capacity);

  [[nodiscard]] int groups() const { return groups_; }
  /// Words of a group's bitmap that may hold marks.
  [[nodiscard]] int words(int group) const {
    return used_[static_cast<std::size_t>(group)].load(std::memory_order_acquire);
  }

  [[nodiscard]] Word word(Mark mark, int group, int index) const {
    return at(mark, group, index).load(std::memory_order_seq_cst);
  }
  [[nodiscard]] bool test(Mark mark, Place place) const {
    return (word(mark, place.group, place.slot / word_bits) & bit(place.slot)) != 0;
  }
  /// How many workers of the group have the mark.
  [[nodiscard]] int count(Mark mark, int group) const;

  /// Words of the bitmap of groups.
  [[nodiscard]] int summary_words() const { return static_cast<int>(summary_stride_); }
  /// Bit g: whether group 64 index + g has a worker with the mark. Only of work and asleep.
  [[nodiscard]] Word summary(Mark mark, int index) const { return total(mark, index).load(std::memory_order_seq_cst); }
  [[nodiscard]] bool any(Mark mark) const {
    for (int i = 0; i < summary_words(); ++i) {
      if (summary(mark, i) != 0) return true;
    }
    return false;
  }

  Place join(int group);
  void leave(Place place);
  void set(Mark mark, Place place);
  void clear(Mark mark, Place place);

 private:
  static constexpr std::size_t kinds = 4;
  static constexpr Word bit(int index) { return Word{1} << (index % word_bits); }
  static constexpr bool summarised(Mark mark) { return mark == Mark::work || mark == Mark::asleep; }
  [[nodiscard]] std::atomic<Word>& at(Mark mark, int group, int index) const {
    return words_[(static_cast<std::size_t>(mark) * static_cast<std::size_t>(groups_) +
                   static_cast<std::size_t>(group)) *
                      stride_ +
                  static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::atomic<Word>& total(Mark mark, int index) const {
    return summaries_[(mark == Mark::asleep ? summary_padded_ : 0) + static_cast<std::size_t>(index)];
  }

  int groups_;
  int words_per_group_;
  std::size_t stride_;          // words_per_group_ in whole cache lines
  std::size_t summary_stride_;  // words of one summary
  std::size_t summary_padded_;
  struct FreeAligned {
    void operator()(std::atomic<Word>* words) const { ::operator delete[](words, std::align_val_t{64}); }
  };
  using Words = std::unique_ptr<std::atomic<Word>[], FreeAligned>;
  static Words make(std::size_t count);
  Words words_;
  Words summaries_;
  std::unique_ptr<std::atomic<int>[]> used_;
};

/// The position of the `rank`th set bit, counted from 0; `rank` must be less than their number.
inline int bit_of_rank(Board::Word word, int rank) {
  for (; rank > 0; --rank) word &= word - 1;
  return std::countr_zero(word);
}

}  // namespace charm::stealing
