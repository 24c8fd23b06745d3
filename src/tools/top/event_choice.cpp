#include "tools/top/event_choice.hpp"

#include <charm/error.hpp>

#include <algorithm>

namespace charm::top {
namespace {

bool wanted(const counters::Planned& planned, const EventChoice& choice) {
  switch (planned.role) {
    case counters::EventRole::instructions:
      return choice.instructions;
    case counters::EventRole::cycles:
      return choice.cycles;
    case counters::EventRole::fill:
      return choice.sources.has(planned.source);
  }
  return false;
}

}  // namespace

EventChoice event_choice(const std::string& text) {
  EventChoice choice;
  choice.asked = !text.empty();
  if (text.empty() || text == "all") return choice;
  if (text.find('=') != std::string::npos) {
    choice.own = counters::parse_user_events(text);
    return choice;
  }
  choice = {.none = text == "none", .asked = true, .own = {}, .sources = {}, .instructions = false, .cycles = false};
  if (choice.none) return choice;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.size(), text.find(',', at));
    const std::string word = text.substr(at, end - at);
    if (word == "instructions") {
      choice.instructions = true;
    } else if (word == "cycles") {
      choice.cycles = true;
    } else if (const auto source = counters::fill_source_named(word)) {
      choice.sources.add(*source);
    } else {
      std::string names = "instructions, cycles";
      for (const auto one : counters::all_fill_sources) names += ", " + std::string(counters::name(one));
      throw Error(Errc::bad_input, "--events: '" + word + "' is nothing that is counted",
                  "take all, none, a list of " + names + "; or SOURCE=EVENT as in the setting counter_events");
    }
    at = end + 1;
  }
  return choice;
}

counters::EventPlan chosen(const counters::EventPlan& plan, const EventChoice& choice) {
  counters::EventPlan part = plan;
  if (!choice.own.empty()) return part;
  for (auto& group : part.groups)
    std::erase_if(group, [&](const counters::Planned& planned) { return !wanted(planned, choice); });
  std::erase_if(part.groups, [](const auto& group) { return group.empty(); });
  std::erase_if(part.classes, [&](const counters::FillClass& one) { return !choice.sources.has(one.reported_as); });
  return part;
}

}  // namespace charm::top
