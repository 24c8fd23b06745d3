// Work flags: the state of each worker that other workers need, as bitmaps. For each kind of flag there is one bit per
// worker and group, and for some kinds one bit per group that says whether any of its workers has the flag. A thief
// reads one word to know which of 64 neighbours have work, and accesses only those.
//
// A worker has a place, that is, a slot of a group. It gets one by join() and returns it by leave(). join() takes the
// lowest free slot, so that few words are in use, whatever number of workers may join a group.
//
// Invariants
// - A place has one owner: A slot belongs to one worker at a time. Only the worker at a place sets its flags; others
//   may only clear `work`.
// - The summary errs on the full side: A group's bit in the summary is clear only if the group has no flag of the kind,
//   except between a set() and its return. set() sets the flag before it reads the summary. clear() clears the summary
//   before it reads the flags again, and sets it again if there is one. All of these are sequentially consistent.
// - Visible work keeps its flag, also when thieves clear it: The owner makes work visible, then reads its flag, and
//   sets it if it is clear. A thief that clears the flag reads the queues again afterwards, and sets the flag again if
//   they hold something. All four are sequentially consistent: so if visible work has no flag, its owner is about to
//   set the flag.
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

/// member: the slot belongs to a worker. work: it has something that can be stolen. busy: it runs something, so it may
/// be worth asking. asleep: it is parked.
enum class Flag : std::uint8_t { member, work, busy, asleep };

class WorkFlags {
 public:
  using Word = std::uint64_t;
  static constexpr int word_bits = 64;

  /// \param capacity the largest number of workers in one group.
  WorkFlags(int groups, int capacity);

  [[nodiscard]] int groups() const { return groups_; }
  /// Number of words of a group's bitmap that may hold flags.
  [[nodiscard]] int words(int group) const {
    return used_[static_cast<std::size_t>(group)].load(std::memory_order_acquire);
  }

  [[nodiscard]] Word word(Flag flag, int group, int index) const {
    return at(flag, group, index).load(std::memory_order_seq_cst);
  }
  [[nodiscard]] bool test(Flag flag, Place place) const {
    return (word(flag, place.group, place.slot / word_bits) & bit(place.slot)) != 0;
  }
  /// How many workers of the group have the flag.
  [[nodiscard]] int count(Flag flag, int group) const;

  /// Words of the bitmap of groups.
  [[nodiscard]] int summary_words() const { return static_cast<int>(summary_stride_); }
  /// Bit g: whether group 64 index + g has a worker with the flag. Only of work and asleep.
  [[nodiscard]] Word summary(Flag flag, int index) const { return total(flag, index).load(std::memory_order_seq_cst); }
  [[nodiscard]] bool any(Flag flag) const {
    for (int i = 0; i < summary_words(); ++i) {
      if (summary(flag, i) != 0) return true;
    }
    return false;
  }

  Place join(int group);
  void leave(Place place);
  void set(Flag flag, Place place);
  void clear(Flag flag, Place place);

 private:
  static constexpr std::size_t kinds = 4;
  static constexpr Word bit(int index) { return Word{1} << (index % word_bits); }
  static constexpr bool summarised(Flag flag) { return flag == Flag::work || flag == Flag::asleep; }
  [[nodiscard]] std::atomic<Word>& at(Flag flag, int group, int index) const {
    return words_[(static_cast<std::size_t>(flag) * static_cast<std::size_t>(groups_) +
                   static_cast<std::size_t>(group)) *
                      stride_ +
                  static_cast<std::size_t>(index)];
  }
  [[nodiscard]] std::atomic<Word>& total(Flag flag, int index) const {
    return summaries_[(flag == Flag::asleep ? summary_padded_ : 0) + static_cast<std::size_t>(index)];
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
inline int bit_of_rank(WorkFlags::Word word, int rank) {
  for (; rank > 0; --rank) word &= word - 1;
  return std::countr_zero(word);
}

}  // namespace charm::stealing
