// How fast each kind of core runs each loop, from the times that its parts took. Capacities say what cores do alone: a
// loop that waits for memory runs as fast on an efficiency core, and parts by capacity would leave it idle.
//
// Only machines with several kinds of cores learn. The first run of a loop is divided by capacity; what is learned
// changes the parts only where kinds are done at different times, so that a loop's parts soon stay the same.
#pragma once

#include <charm/machine.hpp>

#include <array>
#include <cstdint>
#include <mutex>
#include <unordered_map>
#include <vector>

namespace charm::detail {

inline constexpr std::size_t core_kinds = 4;

/// What the parts of one run on cores of one kind took.
struct PartTimes {
  std::int64_t iterations = 0;
  std::int64_t ns = 0;
  int parts = 0;
};
using KindTimes = std::array<PartTimes, core_kinds>;  // by CoreKind

class LoopSpeeds {
 public:
  /// Weights of the workers' parts of a loop, as capacity_shares() takes them.
  /// \param loop LoopBody::kind. \param cores -1 for a worker that is not bound.
  [[nodiscard]] std::vector<int> weights(const void* loop, const Machine& machine, const std::vector<int>& cores) const;

  /// Takes the times of a run; those of less than 20 us a part, or on one kind of cores, say nothing.
  void learn(const void* loop, const KindTimes& times);

 private:
  using Speeds = std::array<double, core_kinds>;  // iterations in a nanosecond; 0: not known

  mutable std::mutex mutex_;
  std::unordered_map<const void*, Speeds> known_;  // of at most `most_loops`
};

/// Whether a machine has cores of several kinds.
bool has_several_kinds(const Machine& machine);

}  // namespace charm::detail
