#include "tools/attach/thread_pinner.hpp"

#include <cerrno>
#include <utility>

namespace charm::attach {
namespace {

constexpr double search_s = 0.02;    // as often as ThreadPlacer looks
constexpr double unannounced_s = 1;  // where the system announces new threads
constexpr int most_searches = 8;     // searches for threads that began while others were bound

}  // namespace

ThreadPinner::ThreadPinner(System& system, std::vector<int> cpus, CpuSet came_with)
    : system_(system), cpus_(std::move(cpus)), came_with_(std::move(came_with)) {
  for (const int cpu : cpus_) all_.insert(cpu);
}

double ThreadPinner::step(double now) {
  if (system_.news() || first_) {
    for (int round = 0; round < most_searches && pin_new_threads(std::exchange(first_, false)); ++round) {
    }
  }
  return now + (system_.announces() >= 0 ? unannounced_s : search_s);
}

/// \returns whether there were any.
bool ThreadPinner::pin_new_threads(bool first) {
  const auto threads = system_.threads();
  std::map<ThreadId, Mask> present;
  bool any = false;
  for (const Found& found : threads) {
    if (const auto known = masks_.find(found.id); known != masks_.end()) {
      present.insert(*known);
      continue;
    }
    CpuSet original = system_.mask(found.id);
    if (original.empty()) continue;  // it has ended
    any = true;
    const bool inherited =
        original == came_with_ || original == all_ || (original.size() == 1 && all_.contains(original.front()));
    if (!found.followed && !inherited) {
      present[found.id] = {original, original};
      continue;
    }
    const int cpu = found.followed ? cpus_[next_++ % cpus_.size()] : -1;
    CpuSet wanted = all_;
    if (cpu >= 0) {
      wanted = {};
      wanted.insert(cpu);
    }
    const int error = original == wanted ? 0 : system_.bind(found.id, wanted);
    if (error != 0 && error != ESRCH) trouble_ = "the kernel refused to bind a thread to cpu " + wanted.to_text();
    // A new thread has its creator's mask, which is not what it would have had.
    if (!first && inherited) original = came_with_;
    present[found.id] = {std::move(original), wanted};
    if (found.followed) pinned_.push_back({found.id, error == 0 ? cpu : -1});
  }
  masks_ = std::move(present);
  return any;
}

void ThreadPinner::restore() {
  pin_new_threads(false);
  for (const auto& [id, mask] : masks_) {
    if (mask.original != mask.set && system_.mask(id) == mask.set) system_.bind(id, mask.original);
  }
}

}  // namespace charm::attach
