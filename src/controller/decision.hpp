// The log of a controller's decisions (charm/decision.hpp): enough to answer "why did it move?" without a second run.
#pragma once

#include <charm/decision.hpp>

#include <cstddef>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "base/json.hpp"

namespace charm::controller {

using charm::Decision;

/// A decision as a JSON object, for traces and reports; and the same as text on one line.
base::Json json_of(const Decision& decision);
std::string to_json(const Decision& decision);

/// The latest decisions. A long run keeps a bounded number of them and counts the rest.
class DecisionLog {
 public:
  static constexpr std::size_t kept_entries = 4096;

  void record(Decision decision) {
    if (entries_.size() == kept_entries) entries_.pop_front();
    entries_.push_back(std::move(decision));
    ++total_;
  }
  /// Sets the outcome of the latest decision.
  void resolve(std::string outcome) {
    if (!entries_.empty()) entries_.back().outcome = std::move(outcome);
  }
  [[nodiscard]] const std::deque<Decision>& entries() const { return entries_; }
  [[nodiscard]] std::size_t total() const { return total_; }

 private:
  std::deque<Decision> entries_;
  std::size_t total_ = 0;
};

/// Sorts decisions by time; those of the same moment keep their order.
void sort_by_time(std::vector<Decision>& decisions);

}  // namespace charm::controller
