// How many files the counters of all threads of a source may keep open together.
//
// Invariant: 0 <= kept <= most. A group takes its files when it is open and gives them back when it closes, so where
// the events' pages run out and every event becomes a file, the program still has the rest.
#pragma once

#include <atomic>
#include <cstddef>

namespace charm::counters {

class FileBudget {
 public:
  /// \param most files; 0: no limit.
  explicit FileBudget(std::size_t most) : most_(static_cast<long>(most)) {}

  /// \returns whether there were so many left, which are then taken.
  bool take(int files) noexcept {
    if (kept_.fetch_add(files, std::memory_order_relaxed) + files <= most_ || most_ == 0) return true;
    give_back(files);
    return false;
  }
  void give_back(int files) noexcept { kept_.fetch_sub(files, std::memory_order_relaxed); }

 private:
  long most_;
  std::atomic<long> kept_{0};
};

}  // namespace charm::counters
