// Hardware counters: a source that opens the plan's groups for every thread. The thread that makes the source finds out
// once which events the kernel accepts. A thread that gets fewer later (descriptors run out, or counters are taken
// away) continues with the rest, and the source says so in its notes.
#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "counters/opening.hpp"
#include "counters/shared.hpp"
#include "counters/software.hpp"
#include "counters/switch_watch.hpp"

namespace charm::counters {
namespace {

constexpr std::uint64_t patience_ns = 50'000'000;        // after which a group without a counter is split
constexpr double silence_instructions = 10e9;            // after which fill events that count nothing are given up
constexpr std::size_t readings = 9;                      // at the start, to know what one takes
constexpr std::uint64_t silence_cpu_ns = 1'000'000'000;  // the same, for an instruction counter that stays 0

class HardwareThread final : public ThreadCounters {
 public:
  HardwareThread(std::shared_ptr<Shared> shared, Opened opened, const Limits& limits, double switch_s)
      : shared_(std::move(shared)), limits_(limits), switch_watch_(switch_s) {
    if (shared_->around.system_signals) software_.emplace(shared_->around.perf);
    attach(std::move(opened));
    opened_ns_ = shared_->around.clock();
    counted_ns_ = opened_ns_;
  }

  ~HardwareThread() override {
    if (!shared_->fork_detector.same_process()) forget_pages();
  }

  Reading read() noexcept override {
    Reading& reading = last_;
    reading.time_ns = shared_->around.clock();
    reading.counted_share = 1;
    if (!shared_->fork_detector.same_process()) {
      reading.has = {};
      reading.counted_share = 0;
      return reading;
    }
    reading.has = has_;
    double* total = totals_.data();
    for (auto& group : groups_) {
      const std::size_t count = group->events().size();
      const auto outcome = group->read({total, count});
      total += count;
      reading.counted_share = std::min(reading.counted_share, outcome.share);
      if (outcome.backwards) report("backwards", "a counter moved backwards; the step was left out");
      if (outcome.failed) gone_ = true;
      if (outcome.ran) ran_ = true;
    }
    sum_up(reading);
    if (software_) software_->fill(reading);
    judge(reading);
    if (switch_watch_.due(reading.time_ns)) watch_switches(reading);
    return reading;
  }

 private:
  void forget_pages() noexcept {
    for (auto& group : groups_) group->forget_pages();
    if (software_) software_->forget_pages();
  }

  [[nodiscard]] Measured besides() const { return software_ ? software_->measured() : Measured{}; }

  /// A thread that switches so often that its counters cost too much goes on without.
  void watch_switches(Reading& reading) noexcept {
    if (switch_watch_.look(reading.time_ns, shared_->around.switches()) >= 1 || gone_) return;
    report("switches",
           "a thread switches so often that counters would take more than their share of its time; it is "
           "not counted any more");
    groups_.clear();
    totals_.clear();
    slots_.clear();
    gone_ = reported_gone_ = true;
    reading.has = besides();
  }

  void attach(Opened opened) {
    groups_ = std::move(opened.groups);
    slots_.clear();
    has_ = besides();
    for (const auto& group : groups_) {
      for (const Planned& one : group->events()) {
        slots_.push_back({slot_of(one), one.minus ? -1.0 : 1.0});
        if (one.role == EventRole::instructions) has_.instructions = true;
        if (one.role == EventRole::cycles) has_.cycles = true;
        if (one.role == EventRole::fill) has_.fills.add(one.source);
      }
    }
    totals_.assign(slots_.size(), 0.0);
  }

  /// Instructions, cycles, then the fills.
  static constexpr std::size_t sums = 2 + fill_sources;
  static std::size_t slot_of(const Planned& one) {
    return one.role == EventRole::instructions ? 0 : one.role == EventRole::cycles ? 1 : 2 + index(one.source);
  }

  /// What the events counted, on top of what was counted before they were opened.
  void sum_up(Reading& reading) const noexcept {
    std::array<double, sums> sum = before_;
    for (std::size_t i = 0; i < slots_.size(); ++i) sum[slots_[i].sum] += slots_[i].sign * totals_[i];
    // A difference of two counts may decrease by a little; a total must not.
    const auto up = [](std::uint64_t& field, double now) {
      field = std::max(field, static_cast<std::uint64_t>(std::max(now, 0.0)));
    };
    up(reading.instructions, sum[0]);
    up(reading.cycles, sum[1]);
    for (std::size_t i = 0; i < fill_sources; ++i) up(reading.fills[i], sum[2 + i]);
  }

  /// Counters that never run, were taken away or count nothing.
  void judge(Reading& reading) noexcept {
    if (reading.counted_share > 0) counted_ns_ = reading.time_ns;
    const std::uint64_t age = reading.time_ns - opened_ns_;
    if (gone_ && !reported_gone_) {
      reported_gone_ = true;
      report("gone", "a thread's counters have vanished; its readings stand still");
    }
    if (gone_) {
      reading.has = besides();
      return;
    }
    if (reading.time_ns - counted_ns_ > patience_ns) cut_groups(reading);
    if (has_.instructions && reading.instructions == 0 && ran_ && age > silence_cpu_ns) {
      report("silent", "the hardware counters count nothing (a virtual machine that pretends to have them?)");
      reading.has = besides();
      return;
    }
    const bool some = std::any_of(reading.fills.begin(), reading.fills.end(), [](std::uint64_t n) { return n > 0; });
    if (!some && !has_.fills.empty() && static_cast<double>(reading.instructions) > silence_instructions) {
      report("no fills", "the fill events count nothing on this machine; its fills are not known");
      reading.has.fills = {};
    }
  }

  /// If something holds a counter for ever (the NMI watchdog does), the largest group never fits. Smaller groups do.
  void cut_groups(const Reading& reading) noexcept {
    try {
      std::vector<std::vector<Planned>> planned;
      std::size_t largest = 0;
      for (const auto& group : groups_) {
        planned.push_back(group->events());
        largest = std::max(largest, group->events().size());
      }
      counted_ns_ = reading.time_ns;
      if (largest < 2) {
        report("starved", "the hardware counters are held by others; nothing is counted");
        return;
      }
      Limits limits = limits_;
      limits.fixed = 0;
      limits.counters = static_cast<int>(largest) - 1;
      auto smaller = regroup(planned, limits);
      groups_.clear();  // their descriptors first, or the new ones find no module
      before_[0] = static_cast<double>(reading.instructions);
      before_[1] = static_cast<double>(reading.cycles);
      for (std::size_t i = 0; i < fill_sources; ++i) before_[2 + i] = static_cast<double>(reading.fills[i]);
      Opened opened = shared_->open(std::move(smaller), limits);
      if (opened.groups.empty()) gone_ = true;
      attach(std::move(opened));
      report("cut", "others hold some of the counters; the events take turns on the rest, and totals are extrapolated");
    } catch (...) {
      gone_ = true;
    }
  }

  void report(const char* key, const char* text) noexcept {
    try {
      shared_->notes.add(key, text);
    } catch (...) {
      return;  // there is no memory for a note
    }
  }

  std::shared_ptr<Shared> shared_;
  Limits limits_;
  Groups groups_;
  std::optional<SoftwareSignals> software_;  // for recordings
  std::vector<double> totals_;
  struct Slot {
    std::size_t sum;
    double sign;
  };
  std::vector<Slot> slots_;  // where each event's total goes
  std::array<double, sums> before_{};
  Measured has_;
  Reading last_;
  std::uint64_t opened_ns_ = 0;
  std::uint64_t counted_ns_ = 0;  // when all groups last had a counter
  SwitchWatch switch_watch_;
  bool ran_ = false;
  bool gone_ = false;
  bool reported_gone_ = false;
};

std::string event_line(const Planned& one) {
  const std::string role = one.role == EventRole::instructions ? "instructions"
                           : one.role == EventRole::cycles     ? "cycles"
                                                               : std::string(name(one.source));
  return role + ": " + (one.minus ? "less " : "") + one.name + " (" +
         raw_text({one.event.type, one.event.config, one.event.config1}) + ")";
}

class HardwareSource final : public Source {
 public:
  HardwareSource(std::shared_ptr<Shared> shared, std::vector<std::vector<Planned>> groups, Limits limits, int counted,
                 Description description)
      : shared_(std::move(shared)),
        groups_(std::move(groups)),
        limits_(limits),
        counted_(counted),
        description_(std::move(description)) {}

  std::unique_ptr<ThreadCounters> open_for_this_thread(int worker) override {
    if (!is_counted(worker, counted_, shared_->around.threads)) return software_thread(shared_);
    Opened opened = shared_->open(groups_, limits_);
    for (const auto& note : opened.notes) shared_->notes.add(note, note);
    if (opened.groups.empty()) {
      const Refusal refusal = explain(opened.error, shared_->around.access);
      shared_->notes.add("thread", "a thread has no hardware counters: " + refusal.why +
                                       (refusal.remedy.empty() ? "" : "; " + refusal.remedy));
      return software_thread(shared_);
    }
    return std::make_unique<HardwareThread>(shared_, std::move(opened), limits_,
                                            shared_->around.switches ? description_.switch_s : 0);
  }

  [[nodiscard]] Description describe() const override {
    Description description = description_;
    for (auto& note : shared_->notes.all()) description.notes.push_back(std::move(note));
    return description;
  }

  Pressure pressure() override { return read_pressure(shared_->around.root); }

 private:
  std::shared_ptr<Shared> shared_;
  std::vector<std::vector<Planned>> groups_;
  Limits limits_;
  int counted_;  // threads
  Description description_;
};

std::size_t files_of(const Opened& opened) {
  std::size_t files = 0;
  for (const auto& group : opened.groups) files += static_cast<std::size_t>(group->files());
  return files;
}

/// The median reading of the calling thread, and what the events add to a switch.
void measure_costs(const SourceContext& around, const Opened& opened, Description& description) {
  std::array<std::uint64_t, readings> took{};
  std::vector<double> totals(16);
  for (std::uint64_t& one : took) {
    const std::uint64_t from = around.clock();
    for (const auto& group : opened.groups) {
      totals.resize(std::max(totals.size(), group->events().size()));
      group->read({totals.data(), group->events().size()});
    }
    one = around.clock() - from;
  }
  std::nth_element(took.begin(), took.begin() + readings / 2, took.end());
  description.reading_s = static_cast<double>(took[readings / 2]) * 1e-9;
  if (!around.switch_cost) return;
  std::vector<os::PerfEvent> events;
  for (const auto& group : opened.planned) {
    for (const Planned& one : group) events.push_back(one.event);
  }
  description.switch_s = around.switch_cost(events).value_or(0);
}

}  // namespace

HardwareAttempt try_hardware(const CpuModel* model, const Shape& shape, const std::vector<UserEvent>& wishes,
                             const SourceContext& around) {
  const EventPlan whole = make_plan(model, shape, wishes);
  const Limits limits = model == nullptr ? Limits{} : limits_of(*model);
  Opened opened = open_groups(around, whole.groups, limits);
  if (opened.groups.empty()) return {nullptr, explain(opened.error, around.access), {}};
  const RationedPlan rations =
      rationed(whole, around.files, around.threads, files_of(opened) == opened.groups.size(), limits);
  const EventPlan& plan = rations.plan;
  if (events_of(plan) < events_of(whole)) {
    opened.groups.clear();
    opened = open_groups(around, plan.groups, limits);
    if (opened.groups.empty()) return {nullptr, explain(opened.error, around.access), {}};
  }

  Description description;
  description.kind = Description::Kind::hardware;
  description.name = "hardware counters (" + std::string(model == nullptr ? "unknown core" : model->title) + ")";
  description.multiplexed = opened.groups.size() > 1;
  bool mapped = true;
  for (const auto& group : opened.groups) {
    mapped = mapped && group->mapped();
    for (const Planned& one : group->events()) {
      description.events.push_back(event_line(one));
      ++description.events_counted;
      if (one.role == EventRole::instructions) description.has.instructions = true;
      if (one.role == EventRole::cycles) description.has.cycles = true;
      if (one.role == EventRole::fill) description.has.fills.add(one.source);
    }
  }
  description.files = static_cast<int>(files_of(opened));
  // Groups that take turns need the times of the moment, which a system call tells.
  description.method =
      mapped && !description.multiplexed ? Description::Method::rdpmc : Description::Method::system_call;
  for (const FillClass& one : plan.classes) {
    if (description.has.fills.has(one.reported_as)) description.classes.push_back(one);
  }
  if (around.system_signals) {
    const Measured besides = SoftwareSignals(around.perf).measured();
    description.has.page_faults = besides.page_faults;
    description.has.migrations = besides.migrations;
    description.has.waiting = besides.waiting;
  }
  description.notes = plan.notes;
  description.notes.insert(description.notes.end(), opened.notes.begin(), opened.notes.end());
  if (description.multiplexed) {
    description.notes.push_back("the events take turns in " + std::to_string(opened.groups.size()) +
                                " groups; totals are extrapolated");
  }
  if (rations.threads < around.threads) {
    description.notes.push_back("only " + std::to_string(rations.threads) + " of " + std::to_string(around.threads) +
                                " threads are counted, since too few files may be open; raise the hard limit "
                                "(ulimit -Hn)");
  }
  measure_costs(around, opened, description);
  return {std::make_unique<HardwareSource>(share(around), std::move(opened.planned), limits, rations.threads,
                                           std::move(description)),
          {},
          plan};
}

}  // namespace charm::counters
