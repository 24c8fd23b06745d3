// How many cache lines the programs under the malloc get from memory, and how many everybody does, where the cores
// count fills by source (docs/counters.md). Two events on each thread of those programs and on each cpu.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

#include "counters/fill_meter.hpp"
#include "counters/plan.hpp"
#include "memory/weight_page.hpp"
#include "tools/memory_traffic/own_flow.hpp"

namespace charm::memory_traffic {

/// The events of a plan that count fills from memory; no groups where the core cannot tell near memory from other.
counters::EventPlan memory_events(const counters::EventPlan& plan);

class OwnCounts {
 public:
  /// \param plan of memory_events(). \param cpus that are counted.
  OwnCounts(const Model& model, const std::shared_ptr<os::AttachedEvents>& events, const counters::EventPlan& plan,
            const os::PerfAccess& access, CpuSet cpus);
  /// Those of this machine; they count nothing, and why_not() says why, where two events would take more than a
  /// microsecond of each switch between threads, as under some hypervisors.
  static std::unique_ptr<OwnCounts> of_this_machine(const Model& model, const Machine& machine);

  /// \param threads of the programs under the malloc. \return what was counted since the last call; nothing at the
  /// first one, and where not all of it could be counted.
  const CountedLines* read(std::uint64_t time_ns, const std::vector<RunningThread>& threads,
                           const memory::WeightPage& page);

  /// Why nothing is counted, with the remedy; empty where it is.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }

 private:
  void give_up(const std::string& why);

  using Totals = std::unordered_map<int, std::pair<double, double>>;  // near and far, by thread or cpu

  counters::FillMeter of_threads_, of_cpus_;
  CpuSet cpus_;
  std::size_t roots_;
  Totals threads_before_, cpus_before_;
  CountedLines lines_;
  std::string why_not_;
};

/// The traffic of the programs under the malloc: by counted lines where there are some, else by busy cores.
class OwnTraffic {
 public:
  /// \param counts null: none.
  OwnTraffic(const Model& model, OwnPrograms programs, std::unique_ptr<OwnCounts> counts);

  /// \return the programs' part of a reading; at first, while nothing is known of them, nothing.
  Bandwidths part_of(const Bandwidths& reading, double now_s, const memory::WeightPage& page);

  /// Whether the last part was counted.
  [[nodiscard]] bool is_counted() const { return lines_ != nullptr; }
  /// Why it cannot be counted, with the remedy; empty where it can.
  [[nodiscard]] std::string why_not_counted() const;

 private:
  const Model& model_;
  OwnPrograms programs_;
  std::unique_ptr<OwnCounts> counts_;
  const CountedLines* lines_ = nullptr;
  int looks_ = 0;
};

}  // namespace charm::memory_traffic
