// charm-alg1 and charm-alg1-group: Algorithm 1 of CHARM §4.2, as printed and with one decision for all.
//
// charm-alg1 is the print, for comparison with the paper: each worker compares its own count with the threshold, has a
// spread_rate of its own that goes up or down by one, and then runs Algorithm 2, which refuses some values
// (placement/literal.cpp): the worker then stays where it is and tries again after the next period. Workers at
// different rates may be given the same core. What differs: all workers' periods end together, at the tick of their
// control group, and a worker without counters keeps its rate.
//
// charm-alg1-group is what we make of it. The decision is one for the control group, from its workers' mean count; the
// cores are those of the monotone family, which never gives a core to two workers; and a step goes to the next level of
// that family, so that no period passes between two levels without a move.
//
// The print leaves open what "cache fill events" are, whether 300 of them per 500 ms means a worker's or per work done,
// and what a step does; each is a parameter here, and the defaults are the print's. Where the counters cannot tell
// other chiplets apart both keep their level: the 0 that they would read says nothing.
#include <algorithm>
#include <cstdio>
#include <map>

#include "controller/policies.hpp"

namespace charm::controller {
namespace {

constexpr Parameter alg1_parameters[] = {
    {"period", "0.5", "SCHEDULER_TIMER: seconds between decisions.", ""},
    {"threshold", "300", "RMT_CHIP_ACCESS_RATE: number of events at which workers are spread further.", ""},
    {"per", "period", "Whether events are counted for each period, or for each 1,000 instructions, of a worker.",
     "period|kiloinstruction"},
    {"events", "remote-chiplet", "Fills that count as events.", "remote-chiplet|remote-chiplet+dram|any"},
    {"step", "1", "Chiplets (of charm-alg1-group: levels) by which a decision changes the spread.", ""},
    {"start", "0", "Number of chiplets at the start; 0: the placement's own.", ""},
};

bool by_chiplets_alone(const std::string& events) { return events == "remote-chiplet"; }

/// The number that Algorithm 1 compares with its threshold.
class EventRate {
 public:
  explicit EventRate(const Parameters& parameters)
      : period(parameters.number("period")),
        threshold(parameters.number("threshold")),
        per_kiloinstruction_(parameters.word("per") == "kiloinstruction"),
        events_(parameters.word("events")) {}

  [[nodiscard]] double events(const Counts& counts) const {
    double count = counts.fill(FillSource::other_chiplet) + counts.fill(FillSource::remote_cache);
    if (events_ != "remote-chiplet")
      count += counts.fill(FillSource::local_dram) + counts.fill(FillSource::remote_dram);
    if (events_ == "any") count += counts.fill(FillSource::own_chiplet);
    return count;
  }
  [[nodiscard]] double of(double events, double instructions, double elapsed) const {
    if (per_kiloinstruction_) return instructions > 0 ? events / instructions * 1000 : 0;
    return events * period / elapsed;
  }
  /// Whether the counts say anything about the events.
  [[nodiscard]] bool knows(bool counters, bool hides_chiplets) const {
    return counters && !(hides_chiplets && by_chiplets_alone(events_));
  }

  double period, threshold;

 private:
  bool per_kiloinstruction_;
  std::string events_;
};

std::string reason_of(double rate, double threshold) {
  char text[96];
  std::snprintf(text, sizeof text, "%.4g events %s %.4g", rate, rate >= threshold ? ">=" : "<", threshold);
  return text;
}

double work_of(const Signals& signals) { return signals.user_work > 0 ? signals.user_work : signals.task_work; }

int start_of(const Setup& setup, const Parameters& parameters) {
  const int start = parameters.count("start");
  return start > 0 ? start : setup.levels[static_cast<std::size_t>(setup.initial)];
}

class Literal final : public Controller {
 public:
  Literal(const Setup& setup, const Parameters& parameters)
      : setup_(setup), rate_(parameters), step_(std::max(1, parameters.count("step"))) {
    const int start = std::clamp(start_of(setup, parameters), 1, setup.chiplets);
    int stands = setup.levels.front();
    for (const int level : setup.levels) stands = level <= start ? level : stands;
    workers_.assign(static_cast<std::size_t>(std::max(1, setup.workers)), {start, 0, 0, true});
    spreads_.assign(workers_.size(), stands);
  }

  int tick(const Signals& signals) override {
    elapsed_ += signals.elapsed;
    work_ += work_of(signals);
    for (std::size_t w = 0; w < workers_.size(); ++w) add(workers_[w], signals, w);
    if (elapsed_ < rate_.period * (1 - 1e-9)) return spread();
    update_all(signals.time);
    elapsed_ = work_ = 0;
    for (Worker& worker : workers_) worker = {worker.spread_rate, 0, 0, true};
    return spread();
  }

  /// Where most workers stand; of two such values the lower.
  [[nodiscard]] int spread() const override {
    std::map<int, int> standing;
    for (const int at : spreads_) ++standing[at];
    return std::max_element(standing.begin(), standing.end(),
                            [](const auto& a, const auto& b) { return a.second < b.second; })
        ->first;
  }
  [[nodiscard]] std::span<const int> spreads() const override { return spreads_; }
  [[nodiscard]] double period() const override { return rate_.period; }

 private:
  struct Worker {
    int spread_rate;
    double events, instructions;
    bool known;  // its counts of the whole period are known
  };

  void add(Worker& worker, const Signals& signals, std::size_t w) const {
    if (w < signals.each.size()) {
      const WorkerSignals& own = signals.each[w];
      worker.events += rate_.events(own);
      worker.instructions += own.instructions;
      worker.known = worker.known && rate_.knows(own.counters, own.hides_chiplets);
    } else {  // no counts by worker, so all have the mean
      worker.events += rate_.events(signals) / std::max(1, signals.workers);
      worker.instructions += signals.instructions / std::max(1, signals.workers);
      worker.known = worker.known && rate_.knows(signals.counters, signals.hides_chiplets);
    }
  }

  void update_all(double time) {
    const int before = spread();
    int more = 0, less = 0, moved = 0;
    double sum = 0;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      Worker& worker = workers_[w];
      if (!worker.known) continue;
      const double rate = rate_.of(worker.events, worker.instructions, elapsed_);
      // Lines 7 to 15, with a step that lands beyond a bound stopping at it.
      const bool spreads = rate >= rate_.threshold;
      worker.spread_rate =
          spreads ? std::min(worker.spread_rate + step_, setup_.chiplets) : std::max(worker.spread_rate - step_, 1);
      ++(spreads ? more : less);
      sum += rate;
      if (!accepted(worker.spread_rate) || spreads_[w] == worker.spread_rate) continue;
      spreads_[w] = worker.spread_rate;
      ++moved;
    }
    if (moved == 0) return;
    std::string reason = reason_of(sum / (more + less), rate_.threshold) + " on average; " + std::to_string(more) +
                         " workers raised their rate and " + std::to_string(less) + " lowered it, " +
                         std::to_string(moved) + " moved";
    log_.record({time, setup_.control_group, before, spread(), work_ / elapsed_, -1, -1, std::move(reason), "moved"});
  }

  /// Line 2 of Algorithm 2, and that there is a core for each worker at this value.
  [[nodiscard]] bool accepted(int spread_rate) const {
    return setup_.workers < static_cast<long>(spread_rate) * setup_.cores_per_chiplet &&
           std::binary_search(setup_.levels.begin(), setup_.levels.end(), spread_rate);
  }

  Setup setup_;
  EventRate rate_;
  int step_;
  std::vector<Worker> workers_;
  std::vector<int> spreads_;  // the value that Algorithm 2 accepted last
  double elapsed_ = 0, work_ = 0;
};

class Group final : public Controller {
 public:
  Group(const Setup& setup, const Parameters& parameters)
      : levels_(setup.levels),
        control_group_(setup.control_group),
        rate_(parameters),
        step_(static_cast<std::size_t>(std::max(1, parameters.count("step")))) {
    const int start = start_of(setup, parameters);
    while (at_ + 1 < levels_.size() && levels_[at_ + 1] <= start) ++at_;
  }

  int tick(const Signals& signals) override {
    elapsed_ += signals.elapsed;
    events_ += rate_.events(signals) / std::max(1, signals.workers);
    instructions_ += signals.instructions / std::max(1, signals.workers);
    work_ += work_of(signals);
    if (elapsed_ < rate_.period * (1 - 1e-9)) return spread();
    if (rate_.knows(signals.counters, signals.hides_chiplets)) decide(signals.time);
    elapsed_ = events_ = instructions_ = work_ = 0;
    return spread();
  }

  [[nodiscard]] int spread() const override { return levels_[at_]; }
  [[nodiscard]] double period() const override { return rate_.period; }

 private:
  void decide(double time) {
    const double rate = rate_.of(events_, instructions_, elapsed_);
    const int before = spread();
    at_ = rate >= rate_.threshold ? std::min(at_ + step_, levels_.size() - 1) : at_ - std::min(at_, step_);
    if (spread() == before) return;
    log_.record(
        {time, control_group_, before, spread(), work_ / elapsed_, -1, -1, reason_of(rate, rate_.threshold), "moved"});
  }

  std::vector<int> levels_;
  int control_group_;
  EventRate rate_;
  std::size_t step_, at_ = 0;  // in levels
  double elapsed_ = 0, events_ = 0, instructions_ = 0, work_ = 0;
};

bool needs_other_chiplets(const Parameters& parameters) { return by_chiplets_alone(parameters.word("events")); }

template <class Kind>
std::unique_ptr<Controller> make(const Setup& setup, const Parameters& parameters) {
  return std::make_unique<Kind>(setup, parameters);
}

}  // namespace

constinit const ControllerType alg1_policy{"charm-alg1",
                                           "Algorithms 1 and 2 of the CHARM paper as printed: each worker decides",
                                           alg1_parameters, make<Literal>, needs_other_chiplets};
constinit const ControllerType alg1_group_policy{
    "charm-alg1-group", "Algorithm 1 with one decision for all workers, on the monotone family", alg1_parameters,
    make<Group>, needs_other_chiplets};

}  // namespace charm::controller
