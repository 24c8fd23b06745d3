// The source that replays a recording, and the one that records the readings of another source (see recording.hpp).
#include <charm/error.hpp>

#include <algorithm>
#include <fstream>
#include <mutex>
#include <sstream>
#include <utility>

#include "base/notices.hpp"
#include "counters/recording.hpp"
#include "counters/software.hpp"
#include "counters/sources.hpp"
#include "os/files/bounded_file.hpp"

namespace charm::counters {
namespace {

Measured both(const Measured& a, const Measured& b) {
  Measured has;
  has.instructions = a.instructions && b.instructions;
  has.cycles = a.cycles && b.cycles;
  has.page_faults = a.page_faults && b.page_faults;
  has.migrations = a.migrations && b.migrations;
  has.waiting = a.waiting && b.waiting;
  for (const FillSource source : all_fill_sources) {
    if (a.fills.has(source) && b.fills.has(source)) has.fills.add(source);
  }
  return has;
}

/// What had been counted at `time`, in proportion between the two readings around it.
Reading between(const Reading& a, const Reading& b, std::uint64_t time) {
  Reading reading;
  const double part =
      b.time_ns == a.time_ns ? 1 : static_cast<double>(time - a.time_ns) / static_cast<double>(b.time_ns - a.time_ns);
  const auto mix = [part](std::uint64_t low, std::uint64_t high) {
    return low + static_cast<std::uint64_t>(part * static_cast<double>(high - low));
  };
  reading.time_ns = time;
  reading.instructions = mix(a.instructions, b.instructions);
  reading.cycles = mix(a.cycles, b.cycles);
  for (std::size_t i = 0; i < fill_sources; ++i) reading.fills[i] = mix(a.fills[i], b.fills[i]);
  reading.page_faults = mix(a.page_faults, b.page_faults);
  reading.migrations = mix(a.migrations, b.migrations);
  reading.waiting_ns = mix(a.waiting_ns, b.waiting_ns);
  reading.has = both(a.has, b.has);
  reading.counted_share = b.counted_share;
  return reading;
}

class ReplayThread final : public ThreadCounters {
 public:
  ReplayThread(std::shared_ptr<const Recording> recording, const std::vector<Reading>& lines, Pace pace, Clock clock,
               std::uint64_t offset)
      : recording_(std::move(recording)), lines_(lines), pace_(pace), clock_(std::move(clock)), offset_(offset) {}

  Reading read() noexcept override {
    if (pace_ == Pace::lines) {
      const Reading& line = lines_[std::min(next_, lines_.size() - 1)];
      ++next_;
      return line;
    }
    const std::uint64_t time = clock_() + offset_;  // of the recording; wraps both ways
    while (next_ < lines_.size() && lines_[next_].time_ns <= time) ++next_;
    if (next_ == 0) {  // this worker's first line is still to come
      Reading reading = lines_.front();
      reading.time_ns = time;
      return reading;
    }
    if (next_ == lines_.size()) {  // the recording is over
      Reading reading = lines_.back();
      reading.time_ns = std::max(time, reading.time_ns);
      return reading;
    }
    return between(lines_[next_ - 1], lines_[next_], time);
  }

 private:
  std::shared_ptr<const Recording> recording_;
  const std::vector<Reading>& lines_;
  Pace pace_;
  Clock clock_;
  std::uint64_t offset_;
  std::size_t next_ = 0;
};

class Replay final : public Source {
 public:
  Replay(Recording recording, const std::string& path, Pace pace, Clock clock)
      : recording_(std::make_shared<const Recording>(std::move(recording))), pace_(pace), clock_(std::move(clock)) {
    std::uint64_t first = recording_->workers.begin()->second.front().time_ns;
    description_.has = recording_->workers.begin()->second.front().has;
    for (const auto& [worker, lines] : recording_->workers) {
      first = std::min(first, lines.front().time_ns);
      for (const Reading& line : lines) description_.has = both(description_.has, line.has);
      (void)worker;
    }
    offset_ = first - clock_();
    description_.kind = Description::Kind::replay;
    description_.method = Description::Method::file;
    description_.name = "replay of " + path;
    description_.classes = recording_->classes;
  }

  /// Workers beyond those of the recording take its lines in turn.
  std::unique_ptr<ThreadCounters> open_for_this_thread(int worker) override {
    auto lines = recording_->workers.find(worker);
    if (lines == recording_->workers.end()) {
      lines = recording_->workers.begin();
      std::advance(lines, std::max(worker, 0) % static_cast<int>(recording_->workers.size()));
    }
    return std::make_unique<ReplayThread>(recording_, lines->second, pace_, clock_, offset_);
  }

  [[nodiscard]] Description describe() const override { return description_; }

  Pressure pressure() override {
    const std::uint64_t time = clock_() + offset_;
    Pressure pressure;
    for (const auto& line : recording_->pressure) {
      if (line.time_ns <= time || pace_ == Pace::lines) pressure = line.pressure;
    }
    return pressure;
  }

 private:
  std::shared_ptr<const Recording> recording_;
  Pace pace_;
  Clock clock_;
  std::uint64_t offset_ = 0;
  Description description_;
};

/// The file of a recording; the threads of a runtime write to it in turns.
class ReplayWriter {
 public:
  explicit ReplayWriter(const std::string& path) : out_(path, std::ios::trunc), path_(path) {
    if (!out_) {
      throw Error(Errc::bad_config, "setting counters: cannot write the recording '" + path + "'",
                  "give a file in a folder that exists and may be written");
    }
  }
  void write(const std::string& text) {
    const std::lock_guard lock(mutex_);
    out_ << text << std::flush;
    if (!out_) base::notice("counters: recording", "the recording '" + path_ + "' cannot be written any more");
  }

 private:
  std::mutex mutex_;
  std::ofstream out_;
  std::string path_;
};

class RecordingThread final : public ThreadCounters {
 public:
  RecordingThread(std::unique_ptr<ThreadCounters> inner, std::shared_ptr<ReplayWriter> writer, int worker)
      : inner_(std::move(inner)), writer_(std::move(writer)), worker_(worker) {}
  ~RecordingThread() override { flush(); }

  Reading read() noexcept override {
    const Reading reading = inner_->read();
    try {
      text_ += recording_line(worker_, reading);
      if (text_.size() > piece) flush();
    } catch (...) {
      return reading;  // a line is lost, not the reading
    }
    return reading;
  }

 private:
  static constexpr std::size_t piece = std::size_t{64} << 10U;
  void flush() noexcept {
    try {
      writer_->write(text_);
    } catch (...) {
      text_.clear();  // the lines are lost, and the thread goes on
    }
    text_.clear();
  }

  std::unique_ptr<ThreadCounters> inner_;
  std::shared_ptr<ReplayWriter> writer_;
  int worker_;
  std::string text_;
};

class RecordingSource final : public Source {
 public:
  RecordingSource(std::unique_ptr<Source> inner, const std::string& path)
      : inner_(std::move(inner)), writer_(std::make_shared<ReplayWriter>(path)), path_(path) {
    writer_->write(recording_header(inner_->describe()));
  }
  std::unique_ptr<ThreadCounters> open_for_this_thread(int worker) override {
    return std::make_unique<RecordingThread>(inner_->open_for_this_thread(worker), writer_, worker);
  }
  [[nodiscard]] Description describe() const override {
    Description description = inner_->describe();
    description.name += ", recorded to " + path_;
    return description;
  }
  Pressure pressure() override {
    const Pressure pressure = inner_->pressure();
    if (pressure.known) writer_->write(recording_line(now_ns(), pressure));
    return pressure;
  }

 private:
  std::unique_ptr<Source> inner_;
  std::shared_ptr<ReplayWriter> writer_;
  std::string path_;
};

}  // namespace

std::unique_ptr<Source> replay_source(const std::string& path, Pace pace, const Clock& clock) {
  os::BoundedText recording = os::read_bounded(path);
  if (!recording.problem.empty()) {
    throw Error(Errc::bad_config, "setting counters: the recording '" + path + "' " + recording.problem,
                "give an existing file");
  }
  std::istringstream in(std::move(recording.text));
  return std::make_unique<Replay>(read_recording(in, path), path, pace, clock);
}

std::unique_ptr<Source> recording_source(std::unique_ptr<Source> source, const std::string& path) {
  return std::make_unique<RecordingSource>(std::move(source), path);
}

}  // namespace charm::counters
