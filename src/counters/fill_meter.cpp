#include "counters/fill_meter.hpp"

#include <algorithm>
#include <array>
#include <cerrno>
#include <optional>
#include <utility>

#include "counters/refusal.hpp"

namespace charm::counters {
namespace {

constexpr std::size_t reserved_descriptors = 32;  // left for /proc, the terminal, a recording

}  // namespace

FillMeter::FillMeter(std::shared_ptr<os::AttachedEvents> events, const EventPlan& plan, os::PerfAccess access)
    : events_(std::move(events)), classes_(plan.classes), access_(std::move(access)) {
  for (const auto& group : plan.groups) planned_.insert(planned_.end(), group.begin(), group.end());
}

FillMeter::~FillMeter() {
  for (auto& [id, met] : met_) close(met);
}

void FillMeter::close(Met& met) {
  for (One& one : met.events) {
    if (one.descriptor >= 0) events_->close(one.descriptor);
  }
  met.events.clear();
}

bool FillMeter::open(Met& met, int id, bool thread) {
  for (const auto& planned : planned_) {
    One one;
    one.descriptor = events_->open(planned.event, thread ? id : -1, thread ? -1 : id);
    if (one.descriptor < 0) {
      const int error = -one.descriptor;
      close(met);
      if (error == ESRCH) return false;  // it has ended meanwhile
      if (why_not_.empty() && met_.size() <= 1) {
        const auto refusal = explain(error, access_);
        why_not_ = refusal.why + (refusal.remedy.empty() ? "" : "; " + refusal.remedy);
        given_up_ = true;
      }
      return false;
    }
    events_->read(one.descriptor, one.last);
    met.events.push_back(one);
  }
  return true;
}

Reading FillMeter::read(Met& met, std::uint64_t time_ns) {
  Reading reading;
  reading.time_ns = time_ns;
  std::array<double, fill_sources> sums{};
  for (std::size_t i = 0; i < planned_.size(); ++i) {
    One& one = met.events[i];
    os::AttachedEvents::Count now;
    if (events_->read(one.descriptor, now) && now.running_ns > one.last.running_ns) {
      const auto enabled = static_cast<double>(now.enabled_ns - std::min(now.enabled_ns, one.last.enabled_ns));
      const auto running = static_cast<double>(now.running_ns - one.last.running_ns);
      const double scale = std::max(1.0, enabled / running);
      met.counted_share = std::min(met.counted_share, 1 / scale);
      one.total += scale * static_cast<double>(now.value - std::min(now.value, one.last.value));
      one.last = now;
    }
    const auto& planned = planned_[i];
    switch (planned.role) {
      case EventRole::instructions:
        reading.has.instructions = true;
        reading.instructions = static_cast<std::uint64_t>(one.total);
        break;
      case EventRole::cycles:
        reading.has.cycles = true;
        reading.cycles = static_cast<std::uint64_t>(one.total);
        break;
      case EventRole::fill:
        reading.has.fills.add(planned.source);
        sums[index(planned.source)] += planned.minus ? -one.total : one.total;
        break;
    }
  }
  for (std::size_t i = 0; i < sums.size(); ++i) {
    // A difference of two counts may decrease by a little; a total must not.
    met.highest[i] = std::max(met.highest[i], static_cast<std::uint64_t>(std::max(0.0, sums[i])));
    reading.fills[i] = met.highest[i];
  }
  reading.counted_share = met.counted_share;
  met.counted_share = 1;
  return reading;
}

std::unordered_map<int, Reading> FillMeter::read_all(const std::vector<int>& ids, bool threads, std::uint64_t time_ns) {
  std::unordered_map<int, Reading> readings;
  if (given_up_ || planned_.empty()) return readings;
  for (auto& [id, met] : met_) met.present = false;
  left_out_ = 0;
  std::optional<std::size_t> room;
  for (const int id : ids) {
    auto at = met_.find(id);
    if (at == met_.end()) {
      if (!room) room = events_->room();
      if (*room < planned_.size() + reserved_descriptors) {
        ++left_out_;
        continue;
      }
      at = met_.try_emplace(id).first;
      if (!open(at->second, id, threads)) {
        met_.erase(at);
        if (given_up_) return {};
        continue;
      }
      *room -= planned_.size();
    }
    at->second.present = true;
    readings.emplace(id, read(at->second, time_ns));
  }
  for (auto at = met_.begin(); at != met_.end();) {
    if (at->second.present) {
      ++at;
      continue;
    }
    close(at->second);
    at = met_.erase(at);
  }
  return readings;
}

std::unordered_map<int, Reading> FillMeter::of_threads(const std::vector<int>& threads, std::uint64_t time_ns) {
  return read_all(threads, true, time_ns);
}

std::unordered_map<int, Reading> FillMeter::of_cpus(const CpuSet& cpus, std::uint64_t time_ns) {
  return read_all(cpus.values(), false, time_ns);
}

}  // namespace charm::counters
