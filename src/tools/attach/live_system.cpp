#include "tools/attach/live_system.hpp"

#include <algorithm>
#include <set>
#include <utility>

#include "os/files/set_aside.hpp"
#include "os/memory/stack_memory.hpp"
#include "os/threads/affinity.hpp"
#include "tools/os/system_placement.hpp"

namespace charm::attach {
namespace {

/// A quarter of the files that may be open; what the program is started with is its own limit all the same.
std::size_t affordable_clocks() {
  constexpr std::size_t most = 1024;
  return std::min(most, os::reachable_file_limit() / 4);
}

}  // namespace

LiveSystem::LiveSystem(int pid, bool children, const counters::OtherThreads* counters, bool announcements)
    : children_(children),
      counters_(counters),
      events_(announcements ? os::ProcessEvents::open() : nullptr),
      most_clocks_(affordable_clocks()) {
  known_[pid] = {true, pid};
}

bool LiveSystem::news() {
  announced_all_ = false;
  const auto last = processes_.last_created();
  const bool changed = last && *last != last_created_;
  const bool created = !last || changed;
  last_created_ = last.value_or(-1);
  if (events_ == nullptr) return created;
  std::vector<os::Birth> births;
  if (!events_->take(births)) {
    searched_ = false;  // some may be lost
    return created;
  }
  announced_ = true;
  // The kernel announces a thread a moment after /proc shows it, so a few searches may find threads that were not
  // announced. If that happens more often the announcements have ended: any program that unsubscribes ends them for
  // all.
  silent_looks_ = changed && births.empty() ? silent_looks_ + 1 : 0;
  if (silent_looks_ >= most_silent_looks) {
    events_.reset();
    announced_ = false;
  }
  bool ours = silent_looks_ > 0;
  for (const os::Birth& birth : births) {
    if (!known_.contains(birth.process) && !known_.contains(birth.parent_process)) continue;
    ours = true;
    if (birth.process == birth.thread) births_.push_back(birth);
    // Children may have created children meanwhile.
    if (birth.process == birth.thread) known_.try_emplace(birth.process, Process{children_, birth.parent_process});
    if (const auto of = known_.find(birth.process); of != known_.end() && of->second.followed)
      announced_threads_.push_back({birth.process, birth.thread});
  }
  announced_all_ = ours && searched_ && silent_looks_ == 0;
  return ours;
}

/// Also those of children that are not followed: a thread that was bound to one core passes its mask on to all of them.
void LiveSystem::add_children() {
  for (const os::Birth& birth : births_) known_.try_emplace(birth.process, Process{children_, birth.parent_process});
  births_.clear();
  if (std::exchange(announced_all_, false)) return;
  searched_ = announced_;
  // A child is listed by the thread that made it; its own children may be there already.
  std::vector<int> open;
  for (const auto& [process, its] : known_) open.push_back(process);
  while (!open.empty()) {
    const int process = open.back();
    open.pop_back();
    for (const int thread : processes_.threads(process)) {
      for (const int child : processes_.children(process, thread)) {
        if (known_.try_emplace(child, Process{children_, process}).second) open.push_back(child);
      }
    }
  }
}

std::vector<Found> LiveSystem::threads() {
  add_children();
  std::vector<Found> found;
  for (auto process = known_.begin(); process != known_.end();) {
    const std::vector<int> ids = processes_.threads(process->first);
    if (ids.empty()) {
      process = known_.erase(process);
      continue;
    }
    const Process& its = process->second;
    for (const int id : ids) found.push_back({{process->first, id}, its.followed, its.parent});
    ++process;
  }
  std::set<ThreadId> present;
  for (const Found& each : found) present.insert(each.id);
  ended_unseen_.clear();
  for (const ThreadId& id : std::exchange(announced_threads_, {})) {
    if (!present.contains(id)) ended_unseen_.push_back(id);
  }
  std::erase_if(clocks_, [&](const auto& clock) { return !present.contains(clock.first); });
  return found;
}

std::optional<os::ThreadTime> LiveSystem::time(const ThreadId& id) {
  auto clock = clocks_.find(id);
  if (clock == clocks_.end() && clocks_.size() < most_clocks_)
    clock = clocks_.try_emplace(id, processes_.schedstat(id.process, id.thread)).first;
  if (clock == clocks_.end()) return processes_.time(id.process, id.thread);
  if (const auto time = clock->second.read()) return time;
  // It has ended, or the kernel keeps no such file.
  clocks_.erase(clock);
  return processes_.time(id.process, id.thread);
}

bool LiveSystem::runnable(const ThreadId& id) { return processes_.runnable(id.process, id.thread); }

std::string LiveSystem::name(const ThreadId& id) { return processes_.name(id.process, id.thread); }

CpuSet LiveSystem::mask(const ThreadId& id) { return os::allowed_cpus_of(id.thread); }

int LiveSystem::bind(const ThreadId& id, const CpuSet& cpus) {
  if (before_binding_) std::exchange(before_binding_, nullptr)();
  return os::bind_thread(id.thread, cpus);
}

double LiveSystem::used() {
  double ticks = 0;
  for (const auto& [process, its] : known_) {
    if (const auto status = processes_.status(process))
      ticks += static_cast<double>(status->used_ticks + status->waited_ticks);
  }
  return ticks * os::tick_seconds();
}

double LiveSystem::resident_bytes() {
  double pages = 0;
  for (const auto& [process, its] : known_) {
    if (!its.followed) continue;
    if (const auto status = processes_.status(process)) pages += static_cast<double>(status->resident_pages);
  }
  return pages * static_cast<double>(os::page_bytes());
}

bool LiveSystem::gathers() {
  if (!gathers_) gathers_ = os::read_system_placement().gathers();
  return *gathers_;
}

std::unique_ptr<counters::ThreadCounters> LiveSystem::counters(const ThreadId& id) {
  return counters_ == nullptr ? nullptr : counters_->open(id.thread);
}

std::vector<int> LiveSystem::followed() const {
  std::vector<int> processes;
  for (const auto& [process, its] : known_) {
    if (its.followed) processes.push_back(process);
  }
  return processes;
}

std::string LiveSystem::method() const {
  return announced_ ? "the kernel's announcements" : "looking at /proc when something was created";
}

}  // namespace charm::attach
