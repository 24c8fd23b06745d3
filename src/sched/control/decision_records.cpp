#include "sched/control/decision_records.hpp"

#include <utility>

#include "base/notices.hpp"
#include "trace/recorder.hpp"

namespace charm::sched {

void DecisionRecords::write_file(const std::string& policy, std::size_t workers) {
  file_ = std::make_unique<trace::DecisionFile>(policy, workers);
  if (file_->error().empty()) return;
  base::notice("decision_file", "there is no decision file: " + file_->error());
  file_.reset();
}

void DecisionRecords::add(const Decision& decision) {
  if (trace::recording()) trace::decision("spread", controller::to_json(decision));
  std::lock_guard lock(mutex_);
  decisions_.record(decision);
  if (file_ != nullptr) file_->append(controller::to_json(decision));
  if (!listener_) return;
  unheard_.push_back(decision);
  anything_unheard_.store(true, std::memory_order_relaxed);
}

void DecisionRecords::add(const TimelinePoint& point) {
  {
    std::lock_guard lock(mutex_);
    timeline_.record(point);
  }
  if (!trace::recording()) return;
  trace::counter("spread (chiplets)", point.spread);
  trace::counter("work per second", point.throughput);
  trace::counter("idle share", point.idle);
  if (point.stall_dram < 0) return;
  trace::counter("stalled on memory", point.stall_dram);
  trace::counter("stalled on other chiplets", point.stall_other_chiplet);
}

void DecisionRecords::listen(std::function<void(const Decision&)> listener) {
  std::lock_guard lock(mutex_);
  listener_ = std::move(listener);
}

void DecisionRecords::call_listener() noexcept {
  if (!anything_unheard_.load(std::memory_order_relaxed) || calling_.exchange(true, std::memory_order_acquire)) return;
  for (;;) {
    std::vector<Decision> decisions;
    std::function<void(const Decision&)> listener;
    {
      std::lock_guard lock(mutex_);
      decisions.swap(unheard_);
      listener = listener_;
      if (decisions.empty()) {
        anything_unheard_.store(false, std::memory_order_relaxed);
        calling_.store(false, std::memory_order_release);
        return;
      }
    }
    for (const Decision& decision : decisions) {
      if (listener) listener(decision);
    }
  }
}

std::vector<Decision> DecisionRecords::decisions() const {
  std::lock_guard lock(mutex_);
  return {decisions_.entries().begin(), decisions_.entries().end()};
}

std::vector<TimelinePoint> DecisionRecords::timeline() const {
  std::lock_guard lock(mutex_);
  return timeline_.points();
}

}  // namespace charm::sched
