#include "tools/compare/counting.hpp"

#include <algorithm>

#include "counters/sources.hpp"

namespace charm::compare {
namespace {

std::string name_of(const counters::Planned& planned) {
  if (planned.role == counters::EventRole::instructions) return "instructions";
  if (planned.role == counters::EventRole::cycles) return "cycles";
  return std::string(counters::name(planned.source));
}

}  // namespace

Counting::Counting(const Machine& machine, bool wanted, const std::string& unwanted_why) {
  if (!wanted) {
    why_not_ = unwanted_why;
    return;
  }
  const auto around = counters::source_context();
  const auto plan = counters::make_plan(counters::model_of(around.cpu), counters::shape_of(machine), {});
  for (const auto& group : plan.groups) {
    for (const auto& planned : group) add(name_of(planned), planned.event, planned.minus);
  }
  const auto refusals = os::ChildEvents(plain()).counts();
  const bool none = std::all_of(refusals.begin(), refusals.end(), [](const auto& one) { return one.error != 0; });
  if (none) {
    const auto refusal = counters::explain(refusals.empty() ? ENOENT : refusals.front().error, around.access);
    why_not_ = refusal.why + (refusal.remedy.empty() ? "" : "; " + refusal.remedy);
  }
  // The kernel itself counts these, on every machine that allows it.
  add("migrations", {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 0, true}, false);
  drop_refused();
}

void Counting::add(const std::string& name, const os::PerfEvent& event, bool minus) {
  auto at = std::find(names_.begin(), names_.end(), name);
  if (at == names_.end()) at = names_.insert(names_.end(), name);
  events_.push_back({event, static_cast<std::size_t>(at - names_.begin()), minus});
}

/// A sum that lacks a part would be a wrong number: all of it goes.
void Counting::drop_refused() {
  const auto counts = os::ChildEvents(plain()).counts();
  std::vector<std::string> refused;
  for (std::size_t i = 0; i < events_.size(); ++i) {
    if (counts[i].error != 0) refused.push_back(names_[events_[i].name]);
  }
  const auto kept = std::move(events_);
  const auto named = std::move(names_);
  events_.clear();
  names_.clear();
  for (const Event& event : kept) {
    const std::string& name = named[event.name];
    if (std::find(refused.begin(), refused.end(), name) == refused.end()) add(name, event.event, event.minus);
  }
}

std::vector<os::PerfEvent> Counting::plain() const {
  std::vector<os::PerfEvent> events;
  for (const Event& event : events_) events.push_back(event.event);
  return events;
}

std::optional<os::ChildEvents> Counting::open() const {
  if (events_.empty()) return std::nullopt;
  return std::optional<os::ChildEvents>(std::in_place, plain());
}

std::vector<std::optional<double>> Counting::read(const os::ChildEvents& events) const {
  std::vector<std::optional<double>> sums(names_.size(), 0.0);
  const auto counts = events.counts();
  for (std::size_t i = 0; i < counts.size(); ++i) {
    auto& sum = sums[events_[i].name];
    if (counts[i].error != 0 || counts[i].share <= 0) {
      sum.reset();
    } else if (sum) {
      *sum += events_[i].minus ? -counts[i].value : counts[i].value;
    }
  }
  return sums;
}

}  // namespace charm::compare
