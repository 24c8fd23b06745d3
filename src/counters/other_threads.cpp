#include "counters/other_threads.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <utility>

#include "counters/opening.hpp"

namespace charm::counters {
namespace {

class OtherThread final : public ThreadCounters {
 public:
  OtherThread(Opened opened, Clock clock) : groups_(std::move(opened.groups)), clock_(std::move(clock)) {
    for (const auto& group : groups_) {
      for (const Planned& one : group->events()) {
        if (one.role == EventRole::instructions) last_.has.instructions = true;
        if (one.role == EventRole::cycles) last_.has.cycles = true;
        if (one.role == EventRole::fill) last_.has.fills.add(one.source);
      }
      totals_.emplace_back(group->events().size(), 0.0);
    }
  }

  Reading read() noexcept override {
    last_.time_ns = clock_();
    last_.counted_share = 1;
    double instructions = 0;
    double cycles = 0;
    std::array<double, fill_sources> fills{};
    for (std::size_t g = 0; g < groups_.size(); ++g) {
      const auto outcome = groups_[g]->read(totals_[g]);
      last_.counted_share = std::min(last_.counted_share, outcome.share);
      for (std::size_t e = 0; e < totals_[g].size(); ++e) {
        const Planned& one = groups_[g]->events()[e];
        const double counted = one.minus ? -totals_[g][e] : totals_[g][e];
        if (one.role == EventRole::instructions) instructions += counted;
        if (one.role == EventRole::cycles) cycles += counted;
        if (one.role == EventRole::fill) fills[index(one.source)] += counted;
      }
    }
    // A difference of two counts may decrease by a little; a total must not.
    const auto up = [](std::uint64_t& field, double now) {
      field = std::max(field, static_cast<std::uint64_t>(std::max(now, 0.0)));
    };
    up(last_.instructions, instructions);
    up(last_.cycles, cycles);
    for (std::size_t s = 0; s < fill_sources; ++s) up(last_.fills[s], fills[s]);
    return last_;
  }

 private:
  Groups groups_;
  Clock clock_;
  std::vector<std::vector<double>> totals_;
  Reading last_;
};

}  // namespace

OtherThreads::OtherThreads(const base::Settings& settings, const Machine& machine) : around_(source_context()) {
  using base::Counters;
  const Counters asked = settings.counters.choice;
  if (asked == Counters::none || asked == Counters::software || asked == Counters::replay) {
    why_not_ = "the setting counters is '" + base::counters_text(settings.counters) + "'";
    return;
  }
  const CpuModel* model = model_of(around_.cpu);
  const auto wishes = parse_user_events(settings.counter_events);
  around_.system_signals = false;
  around_.threads = static_cast<int>(machine.cores.size());
  HardwareAttempt attempt = try_hardware(model, shape_of(machine), wishes, around_);
  if (attempt.source == nullptr) {
    if (asked == Counters::hardware) {
      throw Error(Errc::system, "there are no hardware counters: " + attempt.refusal.why, attempt.refusal.remedy);
    }
    why_not_ = attempt.refusal.why + (attempt.refusal.remedy.empty() ? "" : "; " + attempt.refusal.remedy);
    return;
  }
  FileRation files;
  groups_ = rationed_plan(model, shape_of(machine), wishes, around_, files).groups;
  if (model != nullptr) limits_ = limits_of(*model);
  name_ = attempt.source->describe().name;
  available_ = true;
}

std::unique_ptr<ThreadCounters> OtherThreads::open(int thread) const {
  if (!available_) return nullptr;
  SourceContext there = around_;
  there.perf = os::perf_events_of(thread);
  Opened opened = open_groups(there, groups_, limits_);
  if (opened.groups.empty()) return nullptr;
  return std::make_unique<OtherThread>(std::move(opened), around_.clock);
}

}  // namespace charm::counters
