#include "counters/event_group.hpp"

#include <algorithm>
#include <atomic>
#include <utility>

namespace charm::counters {
namespace {

constexpr std::uint64_t counter_range = 1ULL << 48U;

/// A counter that was within the last sixteenth of its range and is now small has wrapped.
bool wrapped(std::uint64_t before, std::uint64_t now) {
  return before < counter_range && before > counter_range / 16 * 15 && now < counter_range / 16;
}

}  // namespace

std::int64_t sign_extend(std::uint64_t raw, unsigned width) noexcept {
  if (width == 0 || width >= 64) return static_cast<std::int64_t>(raw);
  const unsigned shift = 64 - width;
  return static_cast<std::int64_t>(raw << shift) >> shift;
}

EventGroup::EventGroup(std::shared_ptr<os::PerfEvents> perf, const std::vector<Planned>& events)
    : perf_(std::move(perf)), events_(events), words_(3 + events.size()), last_(events.size()) {}

std::unique_ptr<EventGroup> EventGroup::open(const std::shared_ptr<os::PerfEvents>& perf,
                                             const std::vector<Planned>& events, Failure& failure) {
  std::unique_ptr<EventGroup> group(new EventGroup(perf, events));
  for (std::size_t i = 0; i < events.size(); ++i) {
    const int leader = group->descriptors_.empty() ? -1 : group->descriptors_.front();
    const int descriptor = perf->open(events[i].event, leader);
    if (descriptor < 0) {
      failure = {i, -descriptor};
      return nullptr;
    }
    group->descriptors_.push_back(descriptor);
  }
  for (const int descriptor : group->descriptors_) {
    const auto* page = perf->map(descriptor);
    if (page == nullptr) break;
    group->pages_.push_back(page);
  }
  if (group->pages_.size() < events.size()) {
    for (const auto* page : group->pages_) perf->unmap(page);
    group->pages_.clear();
  }
  return group;
}

EventGroup::~EventGroup() {
  for (const auto* page : pages_) perf_->unmap(page);
  while (!descriptors_.empty()) {  // members before their leader
    perf_->close(descriptors_.back());
    descriptors_.pop_back();
  }
}

bool EventGroup::mapped() const noexcept { return !pages_.empty() && pages_.front()->cap_user_rdpmc != 0; }

bool EventGroup::read_page(const volatile perf_event_mmap_page& page, std::uint64_t& value, std::uint64_t& enabled,
                           std::uint64_t& running) const noexcept {
  std::uint32_t before = 0;
  do {
    before = page.lock;
    std::atomic_signal_fence(std::memory_order_seq_cst);  // the kernel writes on this core, between our instructions
    const std::uint32_t index = page.index;
    if (index == 0 || page.cap_user_rdpmc == 0) return false;
    enabled = page.time_enabled;
    running = page.time_running;
    const auto offset = static_cast<std::uint64_t>(page.offset);
    value = offset + static_cast<std::uint64_t>(sign_extend(perf_->read_counter(index - 1), page.pmc_width));
    std::atomic_signal_fence(std::memory_order_seq_cst);
  } while (page.lock != before);
  return true;
}

/// Only while nothing is multiplexed. Otherwise the times of this moment are needed, which only a system call returns.
bool EventGroup::read_pages(std::span<std::uint64_t> values) noexcept {
  if (pages_.empty()) return false;
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
  for (std::size_t i = 0; i < pages_.size(); ++i) {
    if (!read_page(*pages_[i], values[i], enabled, running)) return false;
    if (enabled - running != enabled_ - running_) return false;
  }
  // The pages know the times of the last context switch. Should the group lose its counters next, the interval until
  // then is scaled a little too little, once.
  if (enabled > enabled_) {
    enabled_ = enabled;
    running_ = running;
  }
  return true;
}

bool EventGroup::add(std::span<const std::uint64_t> values, std::span<double> totals, double scale) noexcept {
  bool forwards = true;
  for (std::size_t i = 0; i < last_.size(); ++i) {
    std::uint64_t more = 0;
    if (values[i] >= last_[i]) {
      more = values[i] - last_[i];
    } else if (wrapped(last_[i], values[i])) {
      more = values[i] + counter_range - last_[i];
    } else {
      forwards = false;
    }
    totals[i] += scale * static_cast<double>(more);
    last_[i] = values[i];
  }
  return forwards;
}

EventGroup::Outcome EventGroup::read(std::span<double> totals) noexcept {
  const std::span<std::uint64_t> values = std::span(words_).subspan(3);
  Outcome outcome;
  if (read_pages(values)) {
    outcome.ran = true;
    outcome.backwards = !add(values, totals, 1);
    return outcome;
  }
  outcome.by_call = true;
  if (perf_->read(descriptors_.front(), words_) < words_.size()) {
    outcome.failed = true;
    outcome.share = 0;
    return outcome;
  }
  const std::uint64_t enabled = words_[1] - std::min(words_[1], enabled_);
  const std::uint64_t running = words_[2] - std::min(words_[2], running_);
  if (running == 0) {
    // Nothing was counted in this interval. It is added to the next one, whose counts are scaled to both.
    outcome.share = enabled == 0 ? 1 : 0;
    return outcome;
  }
  enabled_ = words_[1];
  running_ = words_[2];
  const double scale = static_cast<double>(std::max(enabled, running)) / static_cast<double>(running);
  outcome.share = 1 / scale;
  outcome.ran = true;
  outcome.backwards = !add(values, totals, scale);
  return outcome;
}

}  // namespace charm::counters
