// Watches how often a counted thread switches. What counters add to a switch may take no more than its share of the
// thread's time (ration.hpp), also where a hypervisor traps every access to them.
#pragma once

#include <cstdint>

#include "counters/ration.hpp"

namespace charm::counters {

class SwitchWatch {
 public:
  /// \param added_s what the events add to a switch; 0: nothing is watched.
  explicit SwitchWatch(double added_s) : most_(most_switches(added_s)) {}

  [[nodiscard]] bool watches() const { return most_ > 0; }
  /// Whether a look is due; the number of switches has to be found out for look() alone.
  [[nodiscard]] bool due(std::uint64_t now_ns) const { return watches() && now_ns - looked_ns_ >= window_ns; }

  /// \param switches of the thread since it began.
  /// \returns which share of the events the thread could afford, once it could not afford them all in two windows of
  /// 250 ms in a row; else 1.
  double look(std::uint64_t now_ns, std::uint64_t switches) {
    const double seconds = static_cast<double>(now_ns - looked_ns_) * 1e-9;
    const double made = static_cast<double>(switches - (switches < switches_ ? switches : switches_));
    const bool dear = looked_ns_ != 0 && made > most_ * seconds;
    looked_ns_ = now_ns;
    switches_ = switches;
    dear_windows_ = dear ? dear_windows_ + 1 : 0;
    return dear_windows_ < most_dear_windows ? 1 : most_ * seconds / made;
  }

 private:
  static constexpr std::uint64_t window_ns = 250'000'000;
  static constexpr int most_dear_windows = 2;

  double most_;
  std::uint64_t looked_ns_ = 0, switches_ = 0;
  int dear_windows_ = 0;
};

}  // namespace charm::counters
