// The recording of a whole run: a track for every worker, the decisions and counters of the controller, and the file
// that they are written to. The runtime owns it; without the setting `trace` there is none and nothing is recorded.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "os/machine/tick_clock.hpp"
#include "trace/recording.hpp"
#include "trace/track.hpp"

namespace charm::trace {

class Recorder {
 public:
  /// \param path "%p" in it becomes the process id. \throws Error (bad_config) if it cannot be written.
  Recorder(const std::string& path, std::size_t bytes_per_worker, const std::vector<Place>& places,
           const os::TickClock& clock);
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// From now on the destructor writes the recording; before, it leaves no file behind: a run that was refused is none.
  void keep() noexcept { kept_.store(true, std::memory_order_relaxed); }
  void discard() noexcept { kept_.store(false, std::memory_order_relaxed); }

  [[nodiscard]] Track& track(int worker) { return *tracks_[static_cast<std::size_t>(worker)]; }

  void note(Note note);

  /// Writes the recording so far, in place of the file's contents. \throws Error (system).
  void write();

 private:
  static constexpr std::size_t most_notes = 1 << 20;
  const std::string path_;
  std::atomic<bool> made_file_{false};  ///< which was not there before, and has nothing yet
  std::atomic<bool> kept_{false};
  const std::vector<Place> places_;
  const os::TickClock& clock_;
  std::vector<std::unique_ptr<Track>> tracks_;
  std::mutex mutex_;
  std::vector<Note> notes_;
  std::uint64_t dropped_notes_ = 0;
};

/// Whether a run is being recorded, for callers whose arguments are expensive to make.
[[nodiscard]] bool recording() noexcept;

/// Records a decision: a marker named `name` with `arguments`, a JSON object ("{...}") that says from which signals it
/// came. Any thread may call it; does nothing if the run is not recorded.
void decision(const std::string& name, const std::string& arguments);

/// The run was refused: its recording is not written at the end.
void discard() noexcept;

/// Records the new value of a counter, which the viewer shows as a curve of its own. From any thread.
void counter(const std::string& name, double value);

}  // namespace charm::trace
