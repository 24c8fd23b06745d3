// What the controllers have decided and measured since init(), and who hears of it: the queries of charm/adaptive.hpp,
// the program's listener, the decision file, and the recording of the run.
//
// - One listener at a time: a thread that finds new decisions calls the listener for all of them, without a lock, so
//   that the listener may call any query; meanwhile no other thread calls it. Whoever adds a decision when that thread
//   is done finds that nobody is calling, since both happen under the lock.
#pragma once

#include <charm/decision.hpp>

#include <atomic>
#include <cstddef>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "controller/decision.hpp"
#include "controller/timeline.hpp"
#include "trace/decision_file.hpp"

namespace charm::sched {

class DecisionRecords {
 public:
  /// From now on decisions are written to the decision file, too; where there can be none, a notice says so.
  void write_file(const std::string& policy, std::size_t workers);

  /// A decision whose outcome is known.
  void add(const Decision& decision);
  void add(const TimelinePoint& point);

  void listen(std::function<void(const Decision&)> listener);
  /// Between two jobs of a worker: calls the listener for the decisions that it has not got yet.
  void call_listener() noexcept;

  [[nodiscard]] std::vector<Decision> decisions() const;
  [[nodiscard]] std::vector<TimelinePoint> timeline() const;

 private:
  mutable std::mutex mutex_;  // guards all below; taken after the locks of others, and none after it
  controller::DecisionLog decisions_;
  controller::Timeline timeline_;
  std::function<void(const Decision&)> listener_;
  std::vector<Decision> unheard_;  // that the listener has not got yet
  std::atomic<bool> anything_unheard_{false};
  std::atomic<bool> calling_{false};           // a thread is calling the listener
  std::unique_ptr<trace::DecisionFile> file_;  // null: none was asked for, or it cannot be written
};

}  // namespace charm::sched
