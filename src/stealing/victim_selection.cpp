#include "stealing/victim_selection.hpp"

namespace charm::stealing {

namespace {

WorkFlags::Word without(WorkFlags::Word word, Place except, int group, int index) {
  if (except.group == group && except.slot / WorkFlags::word_bits == index)
    word &= ~(WorkFlags::Word{1} << (except.slot % WorkFlags::word_bits));
  return word;
}

/// random in [0, below) from 32 random bits, without a division.
int scaled(std::uint32_t random, int below) {
  return static_cast<int>((static_cast<std::uint64_t>(random) * static_cast<std::uint64_t>(below)) >> 32);
}

std::uint32_t low(std::uint64_t random) { return static_cast<std::uint32_t>(random); }
std::uint32_t high(std::uint64_t random) { return static_cast<std::uint32_t>(random >> 32); }

/// All workers but the thief.
int number_of_others(const WorkFlags& work_flags) {
  int members = -1;
  for (int g = 0; g < work_flags.groups(); ++g) members += work_flags.count(Flag::member, g);
  return members;
}

/// Runs over the groups that pick_group may choose from.
template <class F>
void for_groups(const WorkFlags& work_flags, int home, bool with_work, F&& visit) {
  for (int w = 0; w < work_flags.summary_words(); ++w) {
    WorkFlags::Word groups = with_work ? work_flags.summary(Flag::work, w) : ~WorkFlags::Word{0};
    while (groups != 0) {
      const int group = w * WorkFlags::word_bits + std::countr_zero(groups);
      groups &= groups - 1;
      if (group >= work_flags.groups()) break;
      if (group != home && (with_work || work_flags.count(Flag::member, group) > 0) && !visit(group)) return;
    }
  }
}

}  // namespace

Place pick(const WorkFlags& work_flags, Flag flag, int group, Place except, std::uint32_t random) {
  const int words = work_flags.words(group);
  if (words == 1) {
    const WorkFlags::Word word = without(work_flags.word(flag, group, 0), except, group, 0);
    return word == 0 ? Place{} : Place{group, bit_of_rank(word, scaled(random, std::popcount(word)))};
  }
  int count = 0;
  for (int w = 0; w < words; ++w) count += std::popcount(without(work_flags.word(flag, group, w), except, group, w));
  if (count == 0) return {};
  int rank = scaled(random, count);
  for (int w = 0; w < words; ++w) {
    const WorkFlags::Word word = without(work_flags.word(flag, group, w), except, group, w);
    const int here = std::popcount(word);
    if (rank < here) return {group, w * WorkFlags::word_bits + bit_of_rank(word, rank)};
    rank -= here;
  }
  return {};  // flags have gone since they were counted
}

int pick_group(const WorkFlags& work_flags, const DistanceTable& distance_table, int home, bool with_work,
               std::uint32_t random) {
  float sum = 0;
  for_groups(work_flags, home, with_work, [&](int group) {
    sum += distance_table.weight(home, group);
    return true;
  });
  float point = sum * (static_cast<float>(random) * 0x1p-32F);
  int chosen = -1;
  for_groups(work_flags, home, with_work, [&](int group) {
    chosen = group;
    point -= distance_table.weight(home, group);
    return point >= 0;
  });
  return chosen;
}

Place VictimSelection::next(const WorkFlags& work_flags, std::uint64_t random) {
  switch (policy_->order) {
    case Order::random:
      return any(work_flags, random);
    case Order::nearest:
      return nearest(work_flags, random);
    case Order::weighted:
      return weighted(work_flags, random);
    case Order::bounded:
      return bounded(work_flags, random);
  }
  return {};
}

Place VictimSelection::any(const WorkFlags& work_flags, std::uint64_t random) {
  const int others = number_of_others(work_flags);
  if (limit_ < 0) limit_ = others;
  if (others <= 0 || tries_++ >= limit_) return {};
  int rank = scaled(low(random), others);
  for (int g = 0; g < work_flags.groups(); ++g) {
    const int here = work_flags.count(Flag::member, g) - (g == thief_.group ? 1 : 0);
    if (rank < here) return pick(work_flags, Flag::member, g, thief_, high(random));
    rank -= here;
  }
  return {};
}

Place VictimSelection::nearest(const WorkFlags& work_flags, std::uint64_t random) {
  const auto others = distance_table_->by_distance(thief_.group);
  for (;;) {
    const int group = ring_ < 0 ? thief_.group : others[static_cast<std::size_t>(ring_)];
    const int slots = work_flags.words(group) * WorkFlags::word_bits;
    if (left_ < 0) {  // start anywhere and go once around
      left_ = slots;
      slot_ = scaled(low(random), slots);
    }
    while (left_ > 0) {
      --left_;
      const Place place{group, slot_ % slots};
      ++slot_;
      if (place != thief_ && work_flags.test(Flag::member, place)) return place;
    }
    if (ring_ + 1 >= static_cast<int>(others.size())) return {};
    ++ring_;
    left_ = -1;
  }
}

Place VictimSelection::weighted(const WorkFlags& work_flags, std::uint64_t random) {
  if (limit_ < 0) limit_ = number_of_others(work_flags);
  if (tries_++ >= limit_) return {};
  // The own group has weight 1, the others share what is left of the sum.
  float others = 0;
  for_groups(work_flags, thief_.group, false, [&](int group) {
    others += distance_table_->weight(thief_.group, group);
    return true;
  });
  const float own = work_flags.count(Flag::member, thief_.group) > 1 ? 1.0F : 0.0F;
  const float point = (own + others) * (static_cast<float>(low(random)) * 0x1p-32F);
  if (point < own || others <= 0) return pick(work_flags, Flag::member, thief_.group, thief_, high(random));
  const auto rest = static_cast<std::uint32_t>((point - own) / others * 4294967040.0F);
  const int group = pick_group(work_flags, *distance_table_, thief_.group, false, rest);
  return group < 0 ? Place{} : pick(work_flags, Flag::member, group, thief_, high(random));
}

Place VictimSelection::bounded(const WorkFlags& work_flags, std::uint64_t random) {
  const Flag flag = policy_->bitmap ? Flag::work : Flag::member;
  while (tries_ < policy_->near_tries) {
    ++tries_;
    if (Place near = pick(work_flags, flag, thief_.group, thief_, high(random))) return near;
    tries_ = policy_->near_tries;  // the own group has no worker to try
  }
  while (far_tries_ < policy_->far_tries) {
    ++far_tries_;
    const int group = pick_group(work_flags, *distance_table_, thief_.group, policy_->bitmap, low(random));
    if (group < 0) return {};
    if (Place far = pick(work_flags, flag, group, thief_, high(random))) return far;
  }
  return {};
}

}  // namespace charm::stealing
