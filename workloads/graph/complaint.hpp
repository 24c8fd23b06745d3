// The error of a parallel check: of all that workers find, the one about the smallest vertex is kept, so that a
// wrong answer that is checked to the end is always described in the same words.
#pragma once

#include <atomic>
#include <mutex>
#include <string>
#include <utility>

#include "workloads/executor/concept.hpp"

namespace charm::workloads {

class Complaint {
 public:
  void add(Index vertex, std::string text) {
    std::lock_guard lock(mutex_);
    if (text_.empty() || vertex < vertex_) {
      vertex_ = vertex;
      text_ = std::move(text);
      any_.store(true, std::memory_order_relaxed);
    }
  }
  [[nodiscard]] bool any() const { return any_.load(std::memory_order_relaxed); }
  [[nodiscard]] std::string text() const { return text_; }

 private:
  std::mutex mutex_;
  Index vertex_ = 0;
  std::string text_;
  std::atomic<bool> any_{false};
};

}  // namespace charm::workloads
