#include "stealing/look.hpp"

namespace charm::stealing {

namespace {

Board::Word without(Board::Word word, Place except, int group, int index) {
  if (except.group == group && except.slot / Board::word_bits == index)
    word &= ~(Board::Word{1} << (except.slot % Board::word_bits));
  return word;
}

/// random in [0, below) from 32 random bits, without a division.
int scaled(std::uint32_t random, int below) {
  return static_cast<int>((static_cast<std::uint64_t>(random) * static_cast<std::uint64_t>(below)) >> 32);
}

std::uint32_t low(std::uint64_t random) { return static_cast<std::uint32_t>(random); }
std::uint32_t high(std::uint64_t random) { return static_cast<std::uint32_t>(random >> 32); }

/// Runs over the groups that pick_group may choose from.
template <class F>
void for_groups(const Board& board, int home, bool with_work, F&& visit) {
  for (int w = 0; w < board.summary_words(); ++w) {
    Board::Word groups = with_work ? board.summary(Mark::work, w) : ~Board::Word{0};
    while (groups != 0) {
      const int group = w * Board::word_bits + std::countr_zero(groups);
      groups &= groups - 1;
      if (group >= board.groups()) break;
      if (group != home && (with_work || board.count(Mark::member, group) > 0) && !visit(group)) return;
    }
  }
}

}  // namespace

Place pick(const Board& board, Mark mark, int group, Place except, std::uint32_t random) {
  const int words = board.words(group);
  if (words == 1) {
    const Board::Word word = without(board.word(mark, group, 0), except, group, 0);
    return word == 0 ? Place{} : Place{group, bit_of_rank(word, scaled(random, std::popcount(word)))};
  }
  int count = 0;
  for (int w = 0; w < words; ++w) count += std::popcount(without(board.word(mark, group, w), except, group, w));
  if (count == 0) return {};
  int rank = scaled(random, count);
  for (int w = 0; w < words; ++w) {
    const Board::Word word = without(board.word(mark, group, w), except, group, w);
    const int here = std::popcount(word);
    if (rank < here) return {group, w * Board::word_bits + bit_of_rank(word, rank)};
    rank -= here;
  }
  return {};  // marks have gone since they were counted
}

int pick_group(const Board& board, const Field& field, int home, bool with_work, std::uint32_t random) {
  float sum = 0;
  for_groups(board, home, with_work, [&](int group) {
    sum += field.weight(home, group);
    return true;
  });
  float point = sum * (static_cast<float>(random) * 0x1p-32F);
  int chosen = -1;
  for_groups(board, home, with_work, [&](int group) {
    chosen = group;
    point -= field.weight(home, group);
    return point >= 0;
  });
  return chosen;
}

Place Look::next(const Board& board, std::uint64_t random) {
  switch (policy_->order) {
    case Order::random:
      return any(board, random);
    case Order::nearest:
      return nearest(board, random);
    case Order::weighted:
      return weighted(board, random);
    case Order::bounded:
      return bounded(board, random);
  }
  return {};
}

Place Look::any(const Board& board, std::uint64_t random) {
  int members = -1;  // without the thief
  for (int g = 0; g < board.groups(); ++g) members += board.count(Mark::member, g);
  if (limit_ < 0) limit_ = members;
  if (members <= 0 || tries_++ >= limit_) return {};
  int rank = scaled(low(random), members);
  for (int g = 0; g < board.groups(); ++g) {
    const int here = board.count(Mark::member, g) - (g == thief_.group ? 1 : 0);
    if (rank < here) return pick(board, Mark::member, g, thief_, high(random));
    rank -= here;
  }
  return {};
}

Place Look::nearest(const Board& board, std::uint64_t random) {
  const auto others = field_->by_distance(thief_.group);
  for (;;) {
    const int group = ring_ < 0 ? thief_.group : others[static_cast<std::size_t>(ring_)];
    const int slots = board.words(group) * Board::word_bits;
    if (left_ < 0) {  // start anywhere and go once around
      left_ = slots;
      slot_ = scaled(low(random), slots);
    }
    while (left_ > 0) {
      --left_;
      const Place place{group, slot_ % slots};
      ++slot_;
      if (place != thief_ && board.test(Mark::member, place)) return place;
    }
    if (ring_ + 1 >= static_cast<int>(others.size())) return {};
    ++ring_;
    left_ = -1;
  }
}

Place Look::weighted(const Board& board, std::uint64_t random) {
  if (limit_ < 0) {
    limit_ = -1;
    for (int g = 0; g < board.groups(); ++g) limit_ += board.count(Mark::member, g);
  }
  if (tries_++ >= limit_) return {};
  // The own group has weight 1, the others share what is left of the sum.
  float others = 0;
  for_groups(board, thief_.group, false, [&](int group) {
    others += field_->weight(thief_.group, group);
    return true;
  });
  const float own = board.count(Mark::member, thief_.group) > 1 ? 1.0F : 0.0F;
  const float point = (own + others) * (static_cast<float>(low(random)) * 0x1p-32F);
  if (point < own || others <= 0) return pick(board, Mark::member, thief_.group, thief_, high(random));
  const auto rest = static_cast<std::uint32_t>((point - own) / others * 4294967040.0F);
  const int group = pick_group(board, *field_, thief_.group, false, rest);
  return group < 0 ? Place{} : pick(board, Mark::member, group, thief_, high(random));
}

Place Look::bounded(const Board& board, std::uint64_t random) {
  const Mark mark = policy_->bitmap ? Mark::work : Mark::member;
  while (tries_ < policy_->near_tries) {
    ++tries_;
    if (Place near = pick(board, mark, thief_.group, thief_, high(random))) return near;
    tries_ = policy_->near_tries;  // nobody to be tried there
  }
  while (far_tries_ < policy_->far_tries) {
    ++far_tries_;
    const int group = pick_group(board, *field_, thief_.group, policy_->bitmap, low(random));
    if (group < 0) return {};
    if (Place far = pick(board, mark, group, thief_, high(random))) return far;
  }
  return {};
}

}  // namespace charm::stealing
