// Cpus that other programs keep busy, as a ThreadPlacer samples them, and when its workers may leave these again.
#pragma once

#include <utility>

#include "lease/interference.hpp"
#include "tools/attach/system.hpp"

namespace charm::attach {

class OtherLoad {
 public:
  /// From now on nothing is sampled.
  void ignore() { ignored_ = true; }
  /// Cpus that other programs have leased. They are not sampled: their load ends when they are given back.
  void set_leased(CpuSet cpus) { leased_ = std::move(cpus); }

  /// A thread of the program that is bound to this cpu alone has run so long on it.
  void own_thread_ran(int cpu, double seconds) { own_.bound[cpu] += seconds; }
  /// Samples if it is time to.
  void sample(double now, System& system) {
    if (ignored_ || !interference_.due(now)) return;
    own_.all = system.used();
    interference_.sample(now, system.cpu_times(), own_, leased_);
  }

  [[nodiscard]] const CpuSet& busy() const { return interference_.busy(); }
  /// Whether workers may be placed elsewhere because of it.
  [[nodiscard]] bool may_avoid(double now) const { return !busy().empty() && now >= next_avoidance_; }
  /// They were. \param in_vain it changed nothing: then it is tried again later.
  void avoided(double now, bool in_vain) { next_avoidance_ = now + (in_vain ? patience_s : avoidance_s); }

 private:
  static constexpr double avoidance_s = 5;  // time between two placements that avoid busy cores
  static constexpr double patience_s = 60;  // the same, if the last one changed nothing
  bool ignored_ = false;
  lease::Interference interference_;
  lease::OwnTime own_;
  CpuSet leased_;
  double next_avoidance_ = 0;
};

}  // namespace charm::attach
