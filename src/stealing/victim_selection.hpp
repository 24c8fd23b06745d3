// Victim selection: which workers a thief tries, one after the other, in one search (CHARM §4.4). The caller tries each
// and asks for the next until it has stolen something or the search is over. Pure: the work flags and random numbers
// are arguments, so the runtime and the simulator share the code.
//
// Invariants: a search ends after a bounded number of victims; it never returns the thief itself or an empty place.
#pragma once

#include <cstdint>

#include "stealing/distance_table.hpp"
#include "stealing/steal_policy.hpp"
#include "stealing/work_flags.hpp"

namespace charm::stealing {

class VictimSelection {
 public:
  VictimSelection(const DistanceTable& distance_table, const StealPolicy& policy, Place thief)
      : distance_table_(&distance_table), policy_(&policy), thief_(thief) {}

  /// \param random 64 fresh random bits. \return no place: the search is over.
  Place next(const WorkFlags& work_flags, std::uint64_t random);

 private:
  Place any(const WorkFlags& work_flags, std::uint64_t random);
  Place nearest(const WorkFlags& work_flags, std::uint64_t random);
  Place weighted(const WorkFlags& work_flags, std::uint64_t random);
  Place bounded(const WorkFlags& work_flags, std::uint64_t random);

  const DistanceTable* distance_table_;
  const StealPolicy* policy_;
  Place thief_;
  int tries_ = 0;  // victims tried on the own chiplet, or at all
  int limit_ = -1;
  int far_tries_ = 0;
  int ring_ = -1;  // nearest: -1 the own group, else an index into by_distance
  int left_ = -1;  // nearest: members of the ring that are still to be tried
  int slot_ = 0;
};

/// A worker of `group` whose flag is set, with equal probability, but not `except`; no place if there is none.
Place pick(const WorkFlags& work_flags, Flag flag, int group, Place except, std::uint32_t random);

/// Another group than `home`, drawn with P ~ 1/(n distance^2). \param with_work draw among the groups with a `work`
/// flag, otherwise among all that have members. \return -1: none.
int pick_group(const WorkFlags& work_flags, const DistanceTable& distance_table, int home, bool with_work,
               std::uint32_t random);

}  // namespace charm::stealing
