#include "counters/event_group.hpp"

#include <algorithm>
#include <atomic>
#include <cerrno>
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
                                             const std::vector<Planned>& events, Failure& failure, bool pages,
                                             const std::shared_ptr<FileBudget>& budget) {
  std::unique_ptr<EventGroup> group(new EventGroup(perf, events));
  group->readable_ = pages && perf->counts_reader();
  for (std::size_t i = 0; i < events.size(); ++i) {
    const int leader = i == 0 ? -1 : group->held_.front().descriptor;
    Held one{perf->open(events[i].event, leader)};
    if (one.descriptor < 0) {
      failure = {i, -one.descriptor};
      return nullptr;
    }
    if (pages) one.page = perf->map(one.descriptor);
    if (one.page == nullptr) {
      group->readable_ = false;
    } else if (i > 0) {
      perf->close(one.descriptor);
      one.descriptor = -1;
    }
    group->held_.push_back(one);
  }
  if (budget != nullptr) {
    if (!budget->take(group->files())) {
      failure = {0, EMFILE};
      return nullptr;
    }
    group->budget_ = budget;
  }
  return group;
}

EventGroup::~EventGroup() {
  if (budget_ != nullptr) budget_->give_back(files());
  while (!held_.empty()) {  // members before their leader
    const Held& one = held_.back();
    if (one.page != nullptr) perf_->unmap(one.page);
    if (one.descriptor >= 0) perf_->close(one.descriptor);
    held_.pop_back();
  }
}

int EventGroup::files() const noexcept {
  return static_cast<int>(
      std::count_if(held_.begin(), held_.end(), [](const Held& one) { return one.descriptor >= 0; }));
}

bool EventGroup::mapped() const noexcept { return readable_ && held_.front().page->cap_user_rdpmc != 0; }

void EventGroup::forget_pages() noexcept {
  readable_ = false;
  for (Held& one : held_) one.page = nullptr;
}

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
  if (!readable_) return false;
  std::uint64_t enabled = 0;
  std::uint64_t running = 0;
  for (std::size_t i = 0; i < held_.size(); ++i) {
    if (!read_page(*held_[i].page, values[i], enabled, running)) return false;
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
  if (perf_->read(held_.front().descriptor, words_) < words_.size()) {
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
