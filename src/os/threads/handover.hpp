// Two threads on one cpu that hand a turn to and fro, so that every turn is a switch between threads. Measures the cost
// of a switch, also while the two are counted.
#pragma once

#include <array>
#include <memory>

namespace charm::os {

class Handover {
 public:
  Handover() = default;
  virtual ~Handover() = default;
  Handover(const Handover&) = delete;
  Handover& operator=(const Handover&) = delete;

  /// Ids of the two threads.
  [[nodiscard]] virtual std::array<int, 2> threads() const = 0;
  /// Seconds for each of `switches` switches; 0 where they could not be made.
  virtual double seconds(int switches) = 0;
};

/// Starts the two threads, which sleep until they are wanted; null if there can be no threads or pipes.
std::unique_ptr<Handover> start_handover();

}  // namespace charm::os
