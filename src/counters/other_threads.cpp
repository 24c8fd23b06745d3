#include "counters/other_threads.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cerrno>
#include <utility>

#include "counters/opening.hpp"
#include "counters/switch_watch.hpp"
#include "os/threads/thread_switches.hpp"

namespace charm::counters {
namespace {

/// What one thread's counters need, and what they cost.
struct Terms {
  const OtherContext& context;
  const EventPlan& plan;
  const Limits& limits;
  double reading_s, switch_s;  // with all events of the plan
  std::atomic<bool>& few_files;
};

Opened open_on(const Terms& terms, int thread, const EventPlan& plan) {
  SourceContext there = terms.context.around;
  there.perf = terms.context.perf_of(thread);
  // Pages save files, but each takes 4 KiB of the memory that the user's programs may lock, perf among them.
  Opened opened = open_groups(there, plan.groups, terms.limits, terms.few_files);
  if (opened.error != EMFILE || terms.few_files.exchange(true)) return opened;
  return open_groups(there, plan.groups, terms.limits);
}

class OtherThread final : public ThreadCounters {
 public:
  OtherThread(const Terms& terms, int thread, Opened opened)
      : terms_(terms), thread_(thread), events_(events_of(terms.plan)), switch_watch_(terms.switch_s) {
    take(std::move(opened));
  }

  Reading read() noexcept override {
    const std::uint64_t now = terms_.context.around.clock();
    if (last_.time_ns != 0 && static_cast<double>(now - last_.time_ns) * 1e-9 < reading_pause(terms_.reading_s))
      return last_;
    last_.time_ns = now;
    if (switch_watch_.due(now)) watch_switches(now);
    last_.counted_share = 1;
    Sums sums = before_;
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto outcome = groups_[g]->read(totals_[g]);
      last_.counted_share = std::min(last_.counted_share, outcome.share);
      for (std::size_t e = 0; e < totals_[g].size(); ++e) {
        const Planned& one = groups_[g]->events()[e];
        const double counted = one.minus ? -totals_[g][e] : totals_[g][e];
        if (one.role == EventRole::instructions) sums.instructions += counted;
        if (one.role == EventRole::cycles) sums.cycles += counted;
        if (one.role == EventRole::fill) sums.fills[index(one.source)] += counted;
      }
    }
    // A difference of two counts may decrease by a little; a total must not.
    const auto up = [](std::uint64_t& field, double total) {
      field = std::max(field, static_cast<std::uint64_t>(std::max(total, 0.0)));
    };
    up(last_.instructions, sums.instructions);
    up(last_.cycles, sums.cycles);
    for (std::size_t s = 0; s < fill_sources; ++s) up(last_.fills[s], sums.fills[s]);
    return last_;
  }

 private:
  struct Sums {
    double instructions = 0, cycles = 0;
    std::array<double, fill_sources> fills{};
  };

  void take(Opened opened) {
    groups_ = std::move(opened.groups);
    totals_.clear();
    last_.has = {};
    for (const auto& group : groups_) {
      for (const Planned& one : group->events()) {
        if (one.role == EventRole::instructions) last_.has.instructions = true;
        if (one.role == EventRole::cycles) last_.has.cycles = true;
        if (one.role == EventRole::fill) last_.has.fills.add(one.source);
      }
      totals_.emplace_back(group->events().size(), 0.0);
    }
  }

  /// What events add to a switch is taken to be the same for each.
  void watch_switches(std::uint64_t now) noexcept {
    const auto switches = terms_.context.switches_of(thread_);
    if (!switches || groups_.empty()) return;
    const double affordable = switch_watch_.look(now, *switches);
    if (affordable >= 1) return;
    const auto left = static_cast<int>(affordable * events_);
    before_ = {static_cast<double>(last_.instructions), static_cast<double>(last_.cycles), {}};
    for (std::size_t s = 0; s < fill_sources; ++s) before_.fills[s] = static_cast<double>(last_.fills[s]);
    groups_.clear();
    if (left < least_events) return take({});
    const double each = terms_.switch_s / std::max(1, events_of(terms_.plan));
    events_ = left;
    switch_watch_ = SwitchWatch(each * events_);
    take(open_on(terms_, thread_, trimmed(terms_.plan, events_, terms_.limits)));
  }

  static constexpr int least_events = 3;  // as in ration()

  Terms terms_;
  int thread_, events_;
  SwitchWatch switch_watch_;
  Groups groups_;
  std::vector<std::vector<double>> totals_;
  Sums before_;  // counted by events that are not open any more
  Reading last_;
};

}  // namespace

OtherContext other_context() {
  return {source_context(), os::perf_events_of, [](int thread) { return os::switches_of_thread(thread); }};
}

OtherThreads::OtherThreads(const base::Settings& settings, const Machine& machine, OtherContext context)
    : context_(std::move(context)) {
  using base::Counters;
  const Counters asked = settings.counters.choice;
  if (asked == Counters::none || asked == Counters::software || asked == Counters::replay) {
    why_not_ = "the setting counters is '" + base::counters_text(settings.counters) + "'";
    return;
  }
  SourceContext& around = context_.around;
  const CpuModel* model = model_of(around.cpu);
  const auto wishes = parse_user_events(settings.counter_events);
  around.system_signals = false;
  around.threads = static_cast<int>(machine.cores.size());
  HardwareAttempt attempt = try_hardware(model, shape_of(machine), wishes, around);
  if (attempt.source == nullptr) {
    if (asked == Counters::hardware) {
      throw Error(Errc::system, "there are no hardware counters: " + attempt.refusal.why, attempt.refusal.remedy);
    }
    why_not_ = attempt.refusal.why + (attempt.refusal.remedy.empty() ? "" : "; " + attempt.refusal.remedy);
    return;
  }
  plan_ = std::move(attempt.plan);
  few_files_ = ration(around.files, around.threads, events_of(plan_)).events < events_of(plan_);
  if (model != nullptr) limits_ = limits_of(*model);
  const Description description = attempt.source->describe();
  name_ = description.name;
  reading_s_ = description.reading_s;
  switch_s_ = description.switch_s;
  available_ = true;
}

std::unique_ptr<ThreadCounters> OtherThreads::open(int thread) const {
  if (!available_) return nullptr;
  const Terms terms{context_, plan_, limits_, reading_s_, switch_s_, few_files_};
  Opened opened = open_on(terms, thread, plan_);
  if (opened.groups.empty()) return nullptr;
  return std::make_unique<OtherThread>(terms, thread, std::move(opened));
}

}  // namespace charm::counters
