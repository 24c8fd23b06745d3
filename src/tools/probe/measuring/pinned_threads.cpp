#include "tools/probe/measuring/pinned_threads.hpp"

#include <algorithm>
#include <cstddef>
#include <utility>

#include "base/clock.hpp"
#include "os/threads/affinity.hpp"
#include "os/threads/pause.hpp"

namespace charm::probe {
namespace {

/// Spins, and gives way now and then, so that more members than cpus still end.
template <typename Condition>
void spin_until(Condition condition) {
  for (int spins = 0; !condition(); ++spins) {
    if (spins < 20000) {
      os::pause();
    } else {
      spins = 10000;
      std::this_thread::yield();
    }
  }
}

}  // namespace

double now_ns() { return static_cast<double>(base::monotonic_ns()); }

PinnedThreads::PinnedThreads(const std::vector<int>& cpus, std::function<void(int)> work,
                             std::function<void(int)> wait_for_others)
    : work_(std::move(work)), wait_for_others_(std::move(wait_for_others)), times_(cpus.size()) {
  members_.reserve(cpus.size());
  for (std::size_t rank = 0; rank < cpus.size(); ++rank) {
    members_.emplace_back([this, rank, cpu = cpus[rank]] { live(static_cast<int>(rank), cpu); });
  }
  spin_until([this] { return ready_.load() == size(); });
}

PinnedThreads::~PinnedThreads() {
  leave_.store(true);
  generation_.fetch_add(1);
  for (auto& member : members_) member.join();
}

void PinnedThreads::wait_for(unsigned long generation) const {
  spin_until([&] { return generation_.load(std::memory_order_acquire) >= generation; });
}

double PinnedThreads::round() {
  done_.store(0);
  ready_.store(0);
  generation_.fetch_add(1);
  // The caller sleeps, and does not look up now and then either: on a small machine it has no cpu but a member's.
  for (int done = done_.load(std::memory_order_acquire); done < size(); done = done_.load(std::memory_order_acquire)) {
    done_.wait(done, std::memory_order_acquire);
  }
  begin_ = times_[0].begin;
  end_ = times_[0].end;
  for (const Times& t : times_) begin_ = std::min(begin_, t.begin), end_ = std::max(end_, t.end);
  return end_ - begin_;
}

void PinnedThreads::live(int rank, int cpu) {
  if (!os::bind_this_thread({cpu})) bound_.store(false);
  ready_.fetch_add(1);
  for (unsigned long generation = 1;; ++generation) {
    wait_for(generation);
    if (leave_.load()) return;
    ready_.fetch_add(1);
    spin_until([this] { return ready_.load() >= size(); });
    if (wait_for_others_) wait_for_others_(rank);
    auto& time = times_[static_cast<std::size_t>(rank)];
    time.begin = now_ns();
    work_(rank);
    time.end = now_ns();
    done_.fetch_add(1, std::memory_order_release);
    done_.notify_one();
  }
}

}  // namespace charm::probe
