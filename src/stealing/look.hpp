// One look of a thief around: which victims it tries, one after the other (CHARM §4.4). The caller tries each and asks
// for the next until it has something or the look is over. Pure: the board and random numbers are arguments, so the
// runtime and the simulator take the same steps.
//
// Invariants: a look ends after a bounded number of victims; it never names the thief itself nor an empty place.
#pragma once

#include <cstdint>

#include "stealing/board.hpp"
#include "stealing/field.hpp"
#include "stealing/policy.hpp"

namespace charm::stealing {

class Look {
 public:
  Look(const Field& field, const Policy& policy, Place thief) : field_(&field), policy_(&policy), thief_(thief) {}

  /// \param random 64 fresh random bits. \return no place: the look is over.
  Place next(const Board& board, std::uint64_t random);

 private:
  Place any(const Board& board, std::uint64_t random);
  Place nearest(const Board& board, std::uint64_t random);
  Place weighted(const Board& board, std::uint64_t random);
  Place bounded(const Board& board, std::uint64_t random);

  const Field* field_;
  const Policy* policy_;
  Place thief_;
  int tries_ = 0;  // on the own chiplet, or all
  int limit_ = -1;
  int far_tries_ = 0;
  int ring_ = -1;  // nearest: -1 the own group, else an index into by_distance
  int left_ = -1;  // nearest: members of the ring to come
  int slot_ = 0;
};

/// A worker of `group` with the mark, all alike, but not `except`; no place where there is none.
Place pick(const Board& board, Mark mark, int group, Place except, std::uint32_t random);

/// Another group than `home` with P ~ 1/(n distance^2); `with_work`: only among those that have a `work` mark,
/// and else among all that have members. \return -1: none.
int pick_group(const Board& board, const Field& field, int home, bool with_work, std::uint32_t random);

}  // namespace charm::stealing
