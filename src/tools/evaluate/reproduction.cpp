#include "tools/evaluate/reproduction.hpp"

#include <charm/error.hpp>

#include <fmt/format.h>

#include "base/format.hpp"
#include "tools/evaluate/judge.hpp"

namespace charm::evaluate {

std::vector<const Experiment*> reproducible() {
  std::vector<const Experiment*> all;
  for (const Experiment& each : experiments()) {
    if (!each.machine.empty()) all.push_back(&each);
  }
  return all;
}

Reproduction reproduce(const Experiment& experiment, const sim::Free& free) {
  if (experiment.machine.empty()) {
    throw Error(Errc::bad_config, "there is no model of the machine of " + std::string(experiment.name),
                "charm evaluate measures it on this one");
  }
  Context context;
  context.model = sim::model(experiment.machine);
  context.model.free = free;
  context.facts.machine = context.model.machine;
  context.extent = Extent::paper;
  Reproduction made{&experiment, experiment.plan(context), {}};
  predict(made.plan, context.model);
  made.verdict = predicted_verdict(made.plan.points, made.plan.x);
  return made;
}

bool agrees(const Point& point) {
  if (point.expect == Expect::nothing) return near_published(point).value_or(false);
  const Outcome outcome = predicted_outcome(point);
  return outcome == Outcome::holds || outcome == Outcome::smaller;
}

void Tally::add(Finding finding) {
  switch (finding) {
    case Finding::confirmed:
      ++confirmed;
      break;
    case Finding::smaller:
      ++smaller;
      break;
    case Finding::not_confirmed:
      ++not_confirmed;
      break;
    case Finding::cannot_tell:
      ++cannot_tell;
  }
}

std::string text_of(const Tally& tally) {
  return fmt::format("{}: {} confirmed, {} smaller than published, {} not confirmed, {} that cannot be told",
                     base::counted(static_cast<std::size_t>(tally.all()), "claim"), tally.confirmed, tally.smaller,
                     tally.not_confirmed, tally.cannot_tell);
}

}  // namespace charm::evaluate
