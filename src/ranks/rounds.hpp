// When a rank that asks the others again and again knows that no task is left anywhere.
#pragma once

#include <cstdint>
#include <limits>

namespace charm::remote {

/// What one round of questions has found; the answers are of different moments.
struct Round {
  bool active = false;         // a rank had tasks, or ran some
  std::uint64_t given = 0;     // tasks that ranks had given to others so far, in all
  std::uint64_t received = 0;  // tasks that ranks had got from others so far, in all
};

/// In two rounds no rank was active, and by the second one as many tasks had been given as were received by the first:
/// then none was on the way between them (Mattern's four counters, as Engine::barrier()).
class Rounds {
 public:
  /// \return whether all tasks have ended.
  bool ended(const Round& round) noexcept {
    const bool result = !round.active && round.given == received_before_;
    received_before_ = round.active ? never : round.received;
    return result;
  }

 private:
  static constexpr std::uint64_t never = std::numeric_limits<std::uint64_t>::max();
  std::uint64_t received_before_ = never;  // by all ranks in the round before, if none was active then
};

}  // namespace charm::remote
