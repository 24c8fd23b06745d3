// One group of events that count the calling thread at the same time. It is read as cheaply as the kernel allows:
// through the events' pages and rdpmc while all of them have a counter, else with one read(2).
//
// Invariant: totals never decrease. Each reading adds the difference to the previous one, scaled by the time that the
// group was enabled over the time that it ran in between. A counter of 48 bits that has wrapped is continued; one that
// moves backwards adds nothing and is reported. Differences are scaled and not totals, so that an interval in which the
// group had no counter does not change what was counted before it.
//
// Open files are scarce where a machine has many cpus. A group needs one, for its leader: the page of any other event
// keeps that event open after its descriptor is closed.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "counters/file_budget.hpp"
#include "counters/plan.hpp"
#include "os/perf/perf_events.hpp"

namespace charm::counters {

/// The value of a raw counter of `width` bits, also after it has wrapped.
std::int64_t sign_extend(std::uint64_t raw, unsigned width) noexcept;

class EventGroup {
 public:
  /// The event at which opening stopped.
  struct Failure {
    std::size_t event = 0;  ///< index of the event in the group
    int error = 0;          ///< an errno
  };

  /// \param failure set where the result is null.
  /// \param pages whether the events' pages are mapped; without them each event keeps its descriptor.
  /// \param budget that the files are taken from, if there is one; where it has too few left the failure is EMFILE.
  static std::unique_ptr<EventGroup> open(const std::shared_ptr<os::PerfEvents>& perf,
                                          const std::vector<Planned>& events, Failure& failure, bool pages = true,
                                          const std::shared_ptr<FileBudget>& budget = nullptr);
  ~EventGroup();
  EventGroup(const EventGroup&) = delete;
  EventGroup& operator=(const EventGroup&) = delete;

  struct Outcome {
    double share = 1;        ///< time counted over time enabled since the previous reading; 0: the totals stay
    bool ran = false;        ///< something was counted
    bool backwards = false;  ///< a counter went down
    bool failed = false;     ///< the kernel gave nothing
    bool by_call = false;    ///< read(2) was needed
  };
  /// Adds the counts since the last call to `totals`, one for each event.
  Outcome read(std::span<double> totals) noexcept;

  [[nodiscard]] const std::vector<Planned>& events() const { return events_; }
  /// The files that it keeps open.
  [[nodiscard]] int files() const noexcept;
  /// Whether the pages allow reading without a system call at the moment.
  [[nodiscard]] bool mapped() const noexcept;
  /// Called in a child of fork(), where the pages do not exist and the descriptors count the parent.
  void forget_pages() noexcept;

 private:
  EventGroup(std::shared_ptr<os::PerfEvents> perf, const std::vector<Planned>& events);
  bool read_pages(std::span<std::uint64_t> values) noexcept;
  bool read_page(const volatile perf_event_mmap_page& page, std::uint64_t& value, std::uint64_t& enabled,
                 std::uint64_t& running) const noexcept;
  bool add(std::span<const std::uint64_t> values, std::span<double> totals, double scale) noexcept;

  std::shared_ptr<os::PerfEvents> perf_;
  std::shared_ptr<FileBudget> budget_;  // that its files were taken from; null: none
  std::vector<Planned> events_;
  struct Held {
    int descriptor = -1;                                  // -1: its page keeps it open
    const volatile perf_event_mmap_page* page = nullptr;  // null: it has none
  };
  std::vector<Held> held_;  // by event; the leader has its descriptor
  bool readable_ = false;   // whether the pages may be read; else read(2) alone
  std::vector<std::uint64_t> words_;
  std::vector<std::uint64_t> last_;
  std::uint64_t enabled_ = 0;
  std::uint64_t running_ = 0;
};

}  // namespace charm::counters
