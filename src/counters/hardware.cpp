// Hardware counters: a source that opens the plan's groups for every thread. What the kernel takes is found out once,
// on the thread that makes the source; a thread that then gets less (descriptors run out, the counters are taken away)
// goes on with what is left, and the source says so in its notes.
#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <cerrno>
#include <mutex>
#include <utility>

#include "base/notices.hpp"
#include "counters/event_group.hpp"
#include "counters/software.hpp"
#include "counters/sources.hpp"
#include "os/thread_usage.hpp"

namespace charm::counters {
namespace {

constexpr std::uint64_t patience_ns = 50'000'000;        // a group without a counter for so long is made smaller
constexpr double silence_instructions = 10e9;            // so many without a single fill: the events count nothing
constexpr std::uint64_t silence_cpu_ns = 1'000'000'000;  // so long on a counter without a single instruction

/// The notes of a source, each once; threads of a runtime share them.
class Notes {
 public:
  void add(const std::string& key, const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      if (std::find(texts_.begin(), texts_.end(), text) != texts_.end()) return;
      texts_.push_back(text);
    }
    base::notice("counters: " + key, text);
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

struct Shared {
  Surroundings around;
  os::ForkMark mark;
  Notes notes;
};

using Groups = std::vector<std::unique_ptr<EventGroup>>;

struct Opened {
  Groups groups;
  std::vector<std::vector<Planned>> planned;  // what was opened
  std::vector<std::string> notes;
  int error = 0;  // of the first event; no groups then
};

/// Whether another grouping may help where an event of a group is refused.
bool is_about_room(int error) { return error == EINVAL || error == ENOSPC || error == EBUSY; }

bool is_about_the_process(int error) {
  return error == EMFILE || error == ENFILE || error == ENOSYS || error == EPERM || error == EACCES || error == ENOMEM;
}

void drop(std::vector<std::vector<Planned>>& groups, const Planned& refused) {
  for (auto& group : groups) {
    std::erase_if(group, [&](const Planned& one) {
      // A sum that lacks a part would be a wrong number: the whole source goes.
      return refused.role == EventRole::fill ? one.role == EventRole::fill && one.source == refused.source
                                             : one.role == refused.role;
    });
  }
  std::erase_if(groups, [](const auto& group) { return group.empty(); });
}

/// Opens `groups` on the calling thread: smaller groups where they do not fit, without what the kernel does not know.
Opened open_groups(const Surroundings& around, std::vector<std::vector<Planned>> groups, Limits limits) {
  Opened opened;
  while (!groups.empty()) {
    Groups open;
    EventGroup::Failure failure;
    std::size_t at = 0;
    for (; at < groups.size(); ++at) {
      auto group = EventGroup::open(around.perf, groups[at], failure);
      if (group == nullptr) break;
      open.push_back(std::move(group));
    }
    if (at == groups.size()) {
      opened.groups = std::move(open);
      opened.planned = std::move(groups);
      return opened;
    }
    open.clear();
    const Planned refused = groups[at][failure.event];
    if (is_about_the_process(failure.error)) {
      opened.error = failure.error;
      return opened;
    }
    if (failure.event > 0 && is_about_room(failure.error)) {
      limits.fixed = 0;
      limits.counters = static_cast<int>(failure.event);
      groups = regroup(groups, limits);
      continue;
    }
    if (opened.error == 0) opened.error = failure.error;
    opened.notes.push_back("the kernel refuses " + refused.name + " (" +
                           raw_text({refused.event.type, refused.event.config, refused.event.config1}) + ")");
    drop(groups, refused);
  }
  return opened;
}

class HardwareThread final : public ThreadCounters {
 public:
  HardwareThread(std::shared_ptr<Shared> shared, Opened opened, const Limits& limits)
      : shared_(std::move(shared)), limits_(limits), software_(shared_->around.perf) {
    adopt(std::move(opened));
    opened_ns_ = shared_->around.clock();
    counted_ns_ = opened_ns_;
  }

  ~HardwareThread() override {
    if (!shared_->mark.same_process()) forget_pages();
  }

  Reading read() noexcept override {
    Reading reading;
    reading.time_ns = shared_->around.clock();
    if (!shared_->mark.same_process()) {
      last_.time_ns = reading.time_ns;
      last_.has = {};
      last_.counted_share = 0;
      return last_;
    }
    reading.has = has_;
    double* total = totals_.data();
    for (auto& group : groups_) {
      const std::size_t count = group->events().size();
      const auto outcome = group->read({total, count});
      total += count;
      reading.counted_share = std::min(reading.counted_share, outcome.share);
      if (outcome.backwards) tell("backwards", "a counter moved backwards; the step was left out");
      if (outcome.failed) gone_ = true;
      if (outcome.ran) ran_ = true;
    }
    sum_up(reading);
    software_.fill(reading);
    judge(reading);
    last_ = reading;
    return reading;
  }

 private:
  void forget_pages() noexcept {
    for (auto& group : groups_) group->forget_pages();
    software_.forget_pages();
  }

  void adopt(Opened opened) {
    groups_ = std::move(opened.groups);
    std::size_t events = 0;
    has_ = software_.measured();
    for (const auto& group : groups_) {
      events += group->events().size();
      for (const Planned& one : group->events()) {
        if (one.role == EventRole::instructions) has_.instructions = true;
        if (one.role == EventRole::cycles) has_.cycles = true;
        if (one.role == EventRole::fill) has_.fills.add(one.source);
      }
    }
    totals_.assign(events, 0.0);
  }

  /// What the events counted, on top of what was counted before they were opened.
  void sum_up(Reading& reading) noexcept {
    std::array<double, fill_sources> fills = fills_before_;
    double instructions = instructions_before_;
    double cycles = cycles_before_;
    const double* total = totals_.data();
    for (const auto& group : groups_) {
      for (const Planned& one : group->events()) {
        double& sum = one.role == EventRole::instructions ? instructions
                      : one.role == EventRole::cycles     ? cycles
                                                          : fills[index(one.source)];
        sum += one.minus ? -*total : *total;
        ++total;
      }
    }
    // A difference of two counts may step back by a little; a total does not.
    const auto up = [](std::uint64_t before, double now) {
      return now <= static_cast<double>(before) ? before : static_cast<std::uint64_t>(now);
    };
    reading.instructions = up(last_.instructions, instructions);
    reading.cycles = up(last_.cycles, cycles);
    for (std::size_t i = 0; i < fill_sources; ++i) reading.fills[i] = up(last_.fills[i], fills[i]);
  }

  /// Counters that never run, were taken away or count nothing.
  void judge(Reading& reading) noexcept {
    if (reading.counted_share > 0) counted_ns_ = reading.time_ns;
    const std::uint64_t age = reading.time_ns - opened_ns_;
    if (gone_ && !told_gone_) {
      told_gone_ = true;
      tell("gone", "a thread's counters have vanished; its readings stand still");
    }
    if (gone_) {
      reading.has = software_.measured();
      return;
    }
    if (reading.time_ns - counted_ns_ > patience_ns) cut_groups(reading);
    if (has_.instructions && reading.instructions == 0 && ran_ && age > silence_cpu_ns) {
      tell("silent", "the hardware counters count nothing (a virtual machine that pretends to have them?)");
      reading.has = software_.measured();
      return;
    }
    const bool some = std::any_of(reading.fills.begin(), reading.fills.end(), [](std::uint64_t n) { return n > 0; });
    if (!some && !has_.fills.empty() && static_cast<double>(reading.instructions) > silence_instructions) {
      tell("no fills", "the fill events count nothing on this machine; its fills are not known");
      reading.has.fills = {};
    }
  }

  /// Something holds a counter for good (the NMI watchdog does), so that the largest group never fits: smaller ones do.
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
        tell("starved", "the hardware counters are held by others; nothing is counted");
        return;
      }
      Limits limits = limits_;
      limits.fixed = 0;
      limits.counters = static_cast<int>(largest) - 1;
      auto smaller = regroup(planned, limits);
      groups_.clear();  // their descriptors first, or the new ones find no room
      fills_before_ = {};
      for (std::size_t i = 0; i < fill_sources; ++i) fills_before_[i] = static_cast<double>(reading.fills[i]);
      instructions_before_ = static_cast<double>(reading.instructions);
      cycles_before_ = static_cast<double>(reading.cycles);
      Opened opened = open_groups(shared_->around, std::move(smaller), limits);
      if (opened.groups.empty()) gone_ = true;
      adopt(std::move(opened));
      tell("cut", "others hold some of the counters; the events take turns on the rest, and totals are extrapolated");
    } catch (...) {
      gone_ = true;
    }
  }

  void tell(const char* key, const char* text) noexcept {
    try {
      shared_->notes.add(key, text);
    } catch (...) {  // without memory there is nothing to tell with
    }
  }

  std::shared_ptr<Shared> shared_;
  Limits limits_;
  Groups groups_;
  SoftwareSignals software_;
  std::vector<double> totals_;
  std::array<double, fill_sources> fills_before_{};
  double instructions_before_ = 0;
  double cycles_before_ = 0;
  Measured has_;
  Reading last_;
  std::uint64_t opened_ns_ = 0;
  std::uint64_t counted_ns_ = 0;  // when all groups last had a counter
  bool ran_ = false;
  bool gone_ = false;
  bool told_gone_ = false;
};

class SoftwareThread final : public ThreadCounters {
 public:
  explicit SoftwareThread(std::shared_ptr<Shared> shared)
      : shared_(std::move(shared)), software_(shared_->around.perf) {}
  ~SoftwareThread() override {
    if (!shared_->mark.same_process()) software_.forget_pages();
  }
  Reading read() noexcept override {
    Reading reading;
    reading.time_ns = shared_->around.clock();
    if (!shared_->mark.same_process()) {
      last_.time_ns = reading.time_ns;
      last_.has = {};
      return last_;
    }
    reading.has = software_.measured();
    software_.fill(reading);
    last_ = reading;
    return reading;
  }

 private:
  std::shared_ptr<Shared> shared_;
  SoftwareSignals software_;
  Reading last_;
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
  HardwareSource(std::shared_ptr<Shared> shared, std::vector<std::vector<Planned>> groups, Limits limits,
                 Description description)
      : shared_(std::move(shared)), groups_(std::move(groups)), limits_(limits), description_(std::move(description)) {}

  std::unique_ptr<ThreadCounters> open_for_this_thread(int) override {
    Opened opened = open_groups(shared_->around, groups_, limits_);
    for (const auto& note : opened.notes) shared_->notes.add(note, note);
    if (opened.groups.empty()) {
      const Refusal refusal = explain(opened.error, shared_->around.access);
      shared_->notes.add("thread", "a thread has no hardware counters: " + refusal.why +
                                       (refusal.remedy.empty() ? "" : "; " + refusal.remedy));
      return std::make_unique<SoftwareThread>(shared_);
    }
    return std::make_unique<HardwareThread>(shared_, std::move(opened), limits_);
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
  Description description_;
};

class SoftwareSource final : public Source {
 public:
  SoftwareSource(std::shared_ptr<Shared> shared, Description description)
      : shared_(std::move(shared)), description_(std::move(description)) {}
  std::unique_ptr<ThreadCounters> open_for_this_thread(int) override {
    return std::make_unique<SoftwareThread>(shared_);
  }
  [[nodiscard]] Description describe() const override { return description_; }
  Pressure pressure() override { return read_pressure(shared_->around.root); }

 private:
  std::shared_ptr<Shared> shared_;
  Description description_;
};

std::shared_ptr<Shared> share(const Surroundings& around) {
  auto shared = std::make_shared<Shared>();
  shared->around = around;
  return shared;
}

}  // namespace

HardwareAttempt try_hardware(const CpuModel* model, const Shape& shape, const std::vector<UserEvent>& wishes,
                             const Surroundings& around) {
  Plan plan = make_plan(model, shape, wishes);
  const Limits limits = model == nullptr ? Limits{} : limits_of(*model);
  Opened opened = open_groups(around, plan.groups, limits);
  if (opened.groups.empty()) return {nullptr, explain(opened.error, around.access)};

  Description description;
  description.kind = Description::Kind::hardware;
  description.name = "hardware counters (" + std::string(model == nullptr ? "unknown core" : model->title) + ")";
  description.multiplexed = opened.groups.size() > 1;
  bool mapped = true;
  for (const auto& group : opened.groups) {
    mapped = mapped && group->mapped();
    for (const Planned& one : group->events()) {
      description.events.push_back(event_line(one));
      if (one.role == EventRole::instructions) description.has.instructions = true;
      if (one.role == EventRole::cycles) description.has.cycles = true;
      if (one.role == EventRole::fill) description.has.fills.add(one.source);
    }
  }
  // Groups that take turns need the times of the moment, which a system call tells.
  description.method =
      mapped && !description.multiplexed ? Description::Method::rdpmc : Description::Method::system_call;
  for (const FillClass& one : plan.classes) {
    if (description.has.fills.has(one.reported_as)) description.classes.push_back(one);
  }
  const SoftwareSignals software(around.perf);
  const Measured besides = software.measured();
  description.has.page_faults = besides.page_faults;
  description.has.migrations = besides.migrations;
  description.has.waiting = besides.waiting;
  description.notes = plan.notes;
  description.notes.insert(description.notes.end(), opened.notes.begin(), opened.notes.end());
  if (description.multiplexed) {
    description.notes.push_back("the events take turns in " + std::to_string(opened.groups.size()) +
                                " groups; totals are extrapolated");
  }
  return {std::make_unique<HardwareSource>(share(around), std::move(opened.planned), limits, std::move(description)),
          {}};
}

std::unique_ptr<Source> software_source(const Surroundings& around, const Refusal& refusal) {
  Description description;
  description.kind = Description::Kind::software;
  description.method = Description::Method::system_call;
  description.name = "software signals";
  const SoftwareSignals software(around.perf);
  description.has = software.measured();
  description.why_not = refusal.why;
  description.remedy = refusal.remedy;
  if (!software.exact_migrations()) {
    description.notes.emplace_back("migrations are changes of the cpu between two readings, at least so many");
  }
  return std::make_unique<SoftwareSource>(share(around), std::move(description));
}

}  // namespace charm::counters
