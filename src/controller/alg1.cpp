// charm-alg1: Algorithm 1 of CHARM §4.2, for comparison with the paper.
//
// The print leaves open what "cache fill events" are, whether 300 of them per 500 ms means a worker's or per work done,
// and what a step does; each is a parameter here, and the defaults are the print's. What differs: the decision is one
// for the control group, from its workers' mean count, where the paper's workers decide each for itself (which, with
// Algorithm 2, puts several on one core). Where the counters cannot tell other chiplets apart it keeps its level: the 0
// that it would read says nothing.
#include <algorithm>
#include <cstdio>

#include "base/controller_parameters.hpp"
#include "controller/policies.hpp"

namespace charm::controller {
namespace {

bool by_chiplets_alone(const std::string& events) { return events == "remote-chiplet"; }

class Alg1 final : public Controller {
 public:
  Alg1(const Setup& setup, const Parameters& parameters)
      : levels_(setup.levels),
        control_group_(setup.control_group),
        period_(parameters.number("period")),
        threshold_(parameters.number("threshold")),
        per_kiloinstruction_(parameters.word("per") == "kiloinstruction"),
        events_(parameters.word("events")),
        step_(std::max(1, parameters.count("step"))) {
    int start = parameters.count("start");
    spread_rate_ = std::min(start > 0 ? start : levels_[static_cast<std::size_t>(setup.initial)], levels_.back());
  }

  int tick(const Signals& signals) override {
    elapsed_ += signals.elapsed;
    counter_ += events(signals) / std::max(1, signals.workers);
    instructions_ += signals.instructions / std::max(1, signals.workers);
    work_ += signals.user_work > 0 ? signals.user_work : signals.task_work;
    if (elapsed_ < period_ * (1 - 1e-9)) return spread();
    if (signals.counters && !(signals.hides_chiplets && by_chiplets_alone(events_))) decide(signals.time);
    elapsed_ = counter_ = instructions_ = work_ = 0;
    return spread();
  }

  [[nodiscard]] int spread() const override {
    int level = levels_.front();
    for (int candidate : levels_) level = candidate <= spread_rate_ ? candidate : level;
    return level;
  }
  [[nodiscard]] double period() const override { return period_; }

 private:
  [[nodiscard]] double events(const Signals& signals) const {
    double count = signals.fill(Fill::other_chiplet) + signals.fill(Fill::remote_cache);
    if (events_ != "remote-chiplet") count += signals.fill(Fill::local_dram) + signals.fill(Fill::remote_dram);
    if (events_ == "any") count += signals.fill(Fill::same_chiplet);
    return count;
  }

  void decide(double time) {
    double rate = per_kiloinstruction_ ? (instructions_ > 0 ? counter_ / instructions_ * 1000 : 0)
                                       : counter_ * period_ / elapsed_;
    int before = spread();
    // Bounds as printed, with CHIPLETS the highest level; a step that lands beyond one stops at it.
    if (rate >= threshold_) {
      spread_rate_ = std::min(spread_rate_ + step_, levels_.back());
    } else {
      spread_rate_ = std::max(spread_rate_ - step_, 1);
    }
    if (spread() == before) return;
    char reason[96];
    std::snprintf(reason, sizeof reason, "%.4g events %s %.4g", rate, rate >= threshold_ ? ">=" : "<", threshold_);
    log_.record({time, control_group_, before, spread(), work_ / elapsed_, -1, -1, reason, "moved"});
  }

  std::vector<int> levels_;
  int control_group_;
  double period_, threshold_;
  bool per_kiloinstruction_;
  std::string events_;
  int step_;
  int spread_rate_;
  double elapsed_ = 0, counter_ = 0, instructions_ = 0, work_ = 0;
};

bool needs_other_chiplets(const Parameters& parameters) { return by_chiplets_alone(parameters.word("events")); }

std::unique_ptr<Controller> make_alg1(const Setup& setup, const Parameters& parameters) {
  return std::make_unique<Alg1>(setup, parameters);
}

}  // namespace

constinit const ControllerType alg1_policy{"charm-alg1",
                                           "Algorithm 1 of the CHARM paper: spreads when fills reach a threshold",
                                           base::alg1_parameters, make_alg1, needs_other_chiplets};

}  // namespace charm::controller
