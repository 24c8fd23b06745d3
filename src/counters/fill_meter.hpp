// Counts the fills of other threads, or of all cpus, by attached events of the catalogue. If the kernel refuses, the
// reason is reported once.
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>

#include <array>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "counters/plan.hpp"
#include "counters/source.hpp"
#include "os/perf/attached_events.hpp"
#include "os/perf/perf_access.hpp"

namespace charm::counters {

class FillMeter {
 public:
  /// \param plan what to count. \param access for the explanation if nothing can be counted.
  FillMeter(std::shared_ptr<os::AttachedEvents> events, const EventPlan& plan, os::PerfAccess access);
  ~FillMeter();
  FillMeter(const FillMeter&) = delete;
  FillMeter& operator=(const FillMeter&) = delete;

  /// Totals since each thread was first seen. Opens events for new threads and closes those of threads that ended.
  /// \param threads tids.
  std::unordered_map<int, Reading> of_threads(const std::vector<int>& threads, std::uint64_t time_ns);
  std::unordered_map<int, Reading> of_cpus(const CpuSet& cpus, std::uint64_t time_ns);

  /// Why nothing is counted, with the remedy; empty if something is counted, and before the first call.
  [[nodiscard]] const std::string& why_not() const { return why_not_; }
  /// Number of threads that are not counted because no more descriptors can be opened.
  [[nodiscard]] std::size_t left_out() const { return left_out_; }
  [[nodiscard]] const std::vector<FillClass>& classes() const { return classes_; }

 private:
  struct One {
    int descriptor = -1;
    os::AttachedEvents::Count last;
    double total = 0;
  };
  struct Met {
    std::vector<One> events;  // as events_
    bool present = true;
    double counted_share = 1;
    std::array<std::uint64_t, fill_sources> highest{};
  };
  std::unordered_map<int, Reading> read_all(const std::vector<int>& ids, bool threads, std::uint64_t time_ns);
  bool open(Met& met, int id, bool thread);
  void close(Met& met);
  Reading read(Met& met, std::uint64_t time_ns);

  std::shared_ptr<os::AttachedEvents> events_;
  std::vector<Planned> planned_;
  std::vector<FillClass> classes_;
  os::PerfAccess access_;
  std::unordered_map<int, Met> met_;
  std::string why_not_;
  std::size_t left_out_ = 0;
  bool given_up_ = false;
};

}  // namespace charm::counters
