#include "trace/recorder.hpp"

#include <charm/error.hpp>

#include <atomic>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <system_error>
#include <utility>

#include "base/notices.hpp"
#include "os/memory/memory.hpp"
#include "os/processes/this_process.hpp"
#include "trace/chrome.hpp"

namespace charm::trace {

namespace {

// The recorder of the current runtime, for decision() and counter(), whose callers have no runtime. Access is under the
// mutex, so that a late caller does not use a recorder that is being destroyed.
std::mutex current_mutex;
Recorder* current_recorder = nullptr;
std::atomic<bool> current_exists{false};

std::string with_process_id(std::string path) {
  if (std::size_t at = path.find("%p"); at != std::string::npos) path.replace(at, 2, std::to_string(os::process_id()));
  return path;
}

struct File {
  File(const std::string& path, const char* mode) : handle(std::fopen(path.c_str(), mode)) {}
  ~File() {
    if (handle != nullptr) std::fclose(handle);
  }
  File(const File&) = delete;
  File& operator=(const File&) = delete;
  std::FILE* handle;
};

}  // namespace

void Track::sample_memory(std::uint64_t at) noexcept {
  if (at < next_memory_) return;
  next_memory_ = at + 20000000;  // ticks: about 10 ms with a fast counter, longer with a slow one
  if (std::uint64_t bytes = os::resident_bytes(); bytes > 0) sample(Gauge::resident_bytes, bytes);
}

Recorder::Recorder(const std::string& path, std::size_t bytes_per_worker, const std::vector<Place>& places,
                   const os::TickClock& clock)
    : path_(with_process_id(path)), places_(places), clock_(clock) {
  std::error_code ignored;
  made_file_ = !std::filesystem::exists(path_, ignored);
  if (File file(path_, "ae"); file.handle == nullptr) {
    throw Error(Errc::bad_config, "setting trace: cannot write '" + path_ + "': " + std::strerror(errno),
                "give a file in a folder that exists and may be written to");
  }
  for (const Place& place : places) tracks_.push_back(std::make_unique<Track>(place.worker, bytes_per_worker, clock));
  std::lock_guard lock(current_mutex);
  current_recorder = this;
  current_exists.store(true, std::memory_order_release);
}

Recorder::~Recorder() {
  {
    std::lock_guard lock(current_mutex);
    current_exists.store(false, std::memory_order_release);
    current_recorder = nullptr;
  }
  if (!kept_) {
    if (made_file_) std::remove(path_.c_str());
    return;
  }
  try {
    write();
  } catch (const Error& error) {
    base::notice("trace", error.what());
  }
}

void Recorder::note(Note note) {
  note.at = clock_.now();
  std::lock_guard lock(mutex_);
  if (notes_.size() == most_notes)
    ++dropped_notes_;
  else
    notes_.push_back(std::move(note));
}

void Recorder::write() {
  std::lock_guard lock(mutex_);
  Recording recording;
  recording.places = places_;
  recording.notes = notes_;
  recording.dropped = dropped_notes_;
  for (const auto& track : tracks_) {
    recording.dropped += track->dropped();
    std::size_t count = track->size();
    for (std::size_t i = 0; i < count; ++i) recording.events.push_back({track->event(i), track->worker()});
  }
  recording.start = clock_.start();
  recording.now = clock_.now();
  recording.ns_per_tick = clock_.ns_per_tick();

  made_file_ = false;
  File file(path_, "we");
  bool written = file.handle != nullptr && write_chrome(recording, file.handle);
  if (!written || std::fflush(file.handle) != 0) {
    throw Error(Errc::system, "cannot write the trace to '" + path_ + "': " + std::strerror(errno),
                "make room there, or let trace name another file");
  }
  if (recording.dropped > 0) {
    base::notice("trace-full", "the trace in '" + path_ + "' lacks its last " + std::to_string(recording.dropped) +
                                   " events: the buffers were full; raise trace_bytes");
  }
}

bool recording() noexcept { return current_exists.load(std::memory_order_acquire); }

void decision(const std::string& name, const std::string& arguments) {
  if (!recording()) return;
  std::lock_guard lock(current_mutex);
  if (current_recorder != nullptr) current_recorder->note({0, name, arguments.empty() ? "{}" : arguments, 0});
}

void counter(const std::string& name, double value) {
  if (!recording() || !std::isfinite(value)) return;  // JSON has no infinities
  std::lock_guard lock(current_mutex);
  if (current_recorder != nullptr) current_recorder->note({0, name, "", value});
}

void discard() noexcept {
  const std::lock_guard lock(current_mutex);
  if (current_recorder != nullptr) current_recorder->discard();
}

}  // namespace charm::trace
