#include "tools/top/replay_writer.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <string_view>
#include <system_error>

#include "counters/recording.hpp"

namespace charm::top {
namespace {

constexpr int most_workers = 65536;  // of the format

}  // namespace

int worker_number(const std::string& thread_name) {
  constexpr std::string_view prefix = "charm-";
  if (!thread_name.starts_with(prefix)) return -1;
  const char* begin = thread_name.data() + prefix.size();
  const char* end = thread_name.data() + thread_name.size();
  int number = -1;
  const auto [stop, error] = std::from_chars(begin, end, number);
  return error == std::errc() && stop == end && number >= 0 && number < most_workers ? number : -1;
}

ReplayWriter::ReplayWriter(const std::string& path, const counters::Description& description)
    : out_(path, std::ios::trunc), path_(path) {
  if (!out_) {
    throw Error(Errc::bad_input, "cannot write the recording '" + path + "'",
                "give a file in a folder that exists and may be written");
  }
  out_ << counters::recording_header(description) << std::flush;
}

int ReplayWriter::number_for(const os::ThreadView& thread, bool of_charm) {
  if (of_charm) {
    const int number = worker_number(thread.name);
    if (number >= 0 && !given_.contains(number)) return number;
  }
  while (given_.contains(next_)) ++next_;
  return next_;
}

void ReplayWriter::write(const Sample& sample) {
  const bool of_charm = std::any_of(sample.threads.begin(), sample.threads.end(),
                                    [](const auto& thread) { return worker_number(thread.name) >= 0; });
  for (const auto& thread : sample.threads) {
    if (of_charm && worker_number(thread.name) < 0) continue;  // it has no core, and a replay no place for it
    const auto counted = sample.by_thread.find(thread.tid);
    if (counted == sample.by_thread.end() && !sample.by_thread.empty()) continue;
    counters::Reading reading = counted == sample.by_thread.end() ? counters::Reading() : counted->second;
    reading.time_ns = static_cast<std::uint64_t>(std::llround(sample.at_s * 1e9));
    reading.page_faults = thread.page_faults;
    reading.has.page_faults = true;
    reading.has.migrations = true;
    reading.has.waiting = thread.waiting_s.has_value();
    if (thread.waiting_s) reading.waiting_ns = static_cast<std::uint64_t>(*thread.waiting_s * 1e9);

    auto at = known_.find(thread.tid);
    if (at != known_.end()) {
      const counters::Reading& last = at->second.last;
      const bool goes_back = thread.cpu_s < at->second.cpu_s - 0.02 || reading.page_faults < last.page_faults ||
                             reading.waiting_ns < last.waiting_ns || reading.instructions < last.instructions ||
                             reading.cycles < last.cycles || reading.time_ns < last.time_ns;
      if (goes_back) {  // another thread has the number now
        known_.erase(at);
        at = known_.end();
      }
    }
    if (at == known_.end()) {
      const int number = number_for(thread, of_charm);
      if (number >= most_workers) continue;
      given_.insert(number);
      at = known_.emplace(thread.tid, Known{number, {}, thread.cpu, 0}).first;
    }
    Known& known = at->second;
    reading.migrations = known.last.migrations + (known.cpu != thread.cpu ? 1 : 0);
    for (std::size_t i = 0; i < counters::fill_sources; ++i)
      reading.fills[i] = std::max(reading.fills[i], known.last.fills[i]);
    known.cpu = thread.cpu;
    known.cpu_s = thread.cpu_s;
    known.last = reading;
    out_ << counters::recording_line(known.worker, reading);
  }
  out_ << std::flush;
  if (!out_) throw Error(Errc::system, "cannot write the recording '" + path_ + "' any more", "free space on its disk");
}

}  // namespace charm::top
