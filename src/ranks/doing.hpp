// What a rank does when all ranks take a step together. Ranks that take different ones would wait for each other for
// ever, or take each other's bytes for something else; they compare what they do, and have an error.
#pragma once

#include <cstdint>
#include <string>

namespace charm::remote {

enum class StepKind : std::uint32_t { gather, barrier, finalize, broadcast, unknown };

struct Doing {
  std::int32_t rank = -1;
  StepKind kind = StepKind::unknown;
  std::int32_t root = -1;  ///< of a broadcast
  std::uint32_t unused = 0;
  std::uint64_t bytes = 0;  ///< of each rank's value
};

/// What the ranks of a part of the tree do, in front of each message of a step.
struct StepHead {
  Doing all;    ///< of one of them
  Doing other;  ///< of one that does something else; its rank is -1 if none does

  [[nodiscard]] bool differs() const noexcept { return other.rank >= 0; }
  /// Adds another part.
  void add(const StepHead& part) noexcept;
  /// Why the ranks cannot take the step.
  [[nodiscard]] std::string problem() const;
};

}  // namespace charm::remote
