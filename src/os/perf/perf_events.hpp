// perf_event_open(2) and the calls around it, as an interface, so that tests can replace the counters of this
// machine. All decisions are in src/counters.
#pragma once

#include <cstdint>
#include <memory>
#include <span>

#include <linux/perf_event.h>

namespace charm::os {

struct PerfEvent {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t config1 = 0;
  bool kernel = false;  ///< count what happens in the kernel, too; needs more rights

  friend bool operator==(const PerfEvent&, const PerfEvent&) = default;
};

class PerfEvents {
 public:
  PerfEvents() = default;
  virtual ~PerfEvents() = default;
  PerfEvents(const PerfEvents&) = delete;
  PerfEvents& operator=(const PerfEvents&) = delete;

  /// Starts counting the calling thread on whatever cpu it runs. Read with PERF_FORMAT_GROUP and both times.
  /// \param group the leader's descriptor, or -1 to become one. \return a descriptor, or -errno.
  virtual int open(const PerfEvent& event, int group) = 0;
  virtual void close(int descriptor) = 0;
  /// Reads a group. \return the number of words: 3 + number of events; 0 if the kernel gives nothing.
  virtual std::size_t read(int descriptor, std::span<std::uint64_t> words) noexcept = 0;
  /// The event's page for reading without a system call; nullptr if there is none. Until it is unmapped the event goes
  /// on counting, and its leader's readings contain it, also when its descriptor is closed.
  virtual const volatile perf_event_mmap_page* map(int descriptor) = 0;
  virtual void unmap(const volatile perf_event_mmap_page* page) = 0;
  /// Whether the events count the thread that reads them. The pages of others say nothing to it, since they describe
  /// the cpu that runs the counted thread.
  [[nodiscard]] virtual bool counts_reader() const noexcept { return true; }
  /// The counter `index` of the core that runs the caller. Use it only right after the page has named this index.
  [[nodiscard]] virtual std::uint64_t read_counter(std::uint32_t index) const noexcept = 0;
};

/// The real one.
std::shared_ptr<PerfEvents> system_perf_events();

/// The same, but the events count another thread, also one of another process of the same user.
std::shared_ptr<PerfEvents> perf_events_of(int thread);

}  // namespace charm::os
