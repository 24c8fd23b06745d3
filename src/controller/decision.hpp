// The record of a decision: enough to answer "why did it move?" without a second run.
#pragma once

#include <cstddef>
#include <deque>
#include <string>
#include <utility>

namespace charm::controller {

struct Decision {
  double time = 0;  // s, the clock of the signals
  int gang = 0;
  int from = 0, to = 0;                            // chiplets
  double throughput = 0;                           // work per second before it
  double stall_other_chiplet = 0, stall_dram = 0;  // shares of busy time; -1 without counters
  std::string reason;
  std::string outcome;  // empty until it is known
};

/// One line: time, gang, levels, signals, reason, outcome.
std::string to_string(const Decision& decision);

/// The latest decisions of a controller; a run of weeks keeps a bounded number of them and counts the rest.
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

}  // namespace charm::controller
