// The sources of a runtime's measurements: hardware counters, a recorded file, software signals, or nothing. All four
// have the same interface. What a machine cannot measure or distinguish is named in `describe()` and in every reading's
// `has`, and is never guessed (CHARM §4.5).
//
// A Source is created once for each runtime and shares nothing with others. Each worker opens its own ThreadCounters
// and reads them itself. Throughput and task times are not here: the runtime measures them itself.
#pragma once

#include <charm/machine.hpp>

#include <array>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/settings.hpp"
#include "counters/fill_source.hpp"

namespace charm::counters {

/// Which fields of a Reading are measured.
struct Measured {
  bool instructions = false;
  bool cycles = false;
  bool page_faults = false;
  bool migrations = false;
  bool waiting = false;
  FillSet fills;  ///< fields of `fills` that are counted; Description::classes says what each covers

  friend bool operator==(const Measured&, const Measured&) = default;
};

/// Totals of one thread since its counters were opened. No field ever goes down, so the difference of two readings is
/// what happened between them. Fields that `has` does not name are 0.
struct Reading {
  std::uint64_t time_ns = 0;                        ///< monotonic clock; in replay the clock of the recording
  std::uint64_t instructions = 0;                   ///< retired in user mode
  std::uint64_t cycles = 0;                         ///< core cycles in user mode
  std::array<std::uint64_t, fill_sources> fills{};  ///< cache lines by source; index(FillSource)
  std::uint64_t page_faults = 0;                    ///< minor and major
  std::uint64_t migrations = 0;                     ///< times the thread changed its cpu
  std::uint64_t waiting_ns = 0;                     ///< time that the thread was ready to run and had no cpu
  Measured has;
  /// Share of the time since the reading before in which the scarcest event had a counter; below 1 the totals of the
  /// interval are extrapolated. 0: nothing was counted in the interval, and the hardware totals stand still.
  double counted_share = 1;

  [[nodiscard]] std::uint64_t fill(FillSource source) const noexcept { return fills[index(source)]; }
};

/// The counters of one thread. Only the thread that opened them may read or destroy them. A child that fork() makes may
/// keep them: its readings do not change, and `has` is empty.
class ThreadCounters {
 public:
  ThreadCounters() = default;
  virtual ~ThreadCounters() = default;
  ThreadCounters(const ThreadCounters&) = delete;
  ThreadCounters& operator=(const ThreadCounters&) = delete;

  /// Cheap: under 100 ns if rdpmc is allowed, about a microsecond otherwise. Fields that need a system call (page
  /// faults, migrations, waiting) may be up to a millisecond old.
  virtual Reading read() noexcept = 0;
};

/// Totals of the pressure stall information of the process's cgroup, or of the machine where it has none.
struct Pressure {
  std::uint64_t cpu_us = 0;     ///< time in which some ready task had no cpu
  std::uint64_t memory_us = 0;  ///< time in which some task waited for memory
  bool known = false;
};

struct Description {
  enum class Kind { hardware, replay, software, none };
  enum class Method { rdpmc, system_call, file, nothing };

  Kind kind = Kind::none;
  Method method = Method::nothing;  ///< how the hardware counters are read
  std::string name;                 ///< "hardware counters (amd zen4)", "replay of FILE", ...
  Measured has;                     ///< what a fresh thread's readings will measure
  std::vector<FillClass> classes;   ///< what each counted fill means
  std::vector<std::string> events;  ///< "other_chiplet: 0x4:0x444 (…)", for people
  bool multiplexed = false;         ///< more events than counters: totals are extrapolated
  std::string why_not;              ///< why there are no hardware counters, exactly; empty where there are
  std::string remedy;               ///< what to change; empty where nothing helps or is needed
  int events_counted = 0;           ///< on each thread
  int files = 0;                    ///< that each thread keeps open for them
  double reading_s = 0;             ///< what a reading of a thread takes, measured at the start; 0: not known
  double switch_s = 0;              ///< what the events add to each switch between threads; 0: not known, or nothing
  std::vector<std::string> notes;   ///< degradations at run time, oldest first
};

class Source {
 public:
  Source() = default;
  virtual ~Source() = default;
  Source(const Source&) = delete;
  Source& operator=(const Source&) = delete;

  /// Opens counters for the calling thread; any number of threads may do so at once. Never returns null, and does not
  /// throw if the kernel refuses events: the thread then gets the others, and describe() says why.
  /// \param worker the worker's number, which selects the lines of a replay.
  virtual std::unique_ptr<ThreadCounters> open_for_this_thread(int worker) = 0;

  /// What is measured and what is not; notes may be added while the program runs. Any thread may call it.
  [[nodiscard]] virtual Description describe() const = 0;

  /// The present pressure. Any thread may call it; takes some microseconds.
  [[nodiscard]] virtual Pressure pressure() { return {}; }

  /// The source that the settings `counters` and `counter_events` ask for on `machine`. Reports once through
  /// base/notices.hpp if `auto` finds no hardware counters, with the reason and the remedy.
  /// \throws Error: bad_config for an event or file name that cannot be understood, bad_input for a file that is no
  /// recording, system if `hardware` is asked for and there are no counters.
  static std::unique_ptr<Source> choose(const base::Settings& settings, const Machine& machine);
};

}  // namespace charm::counters
