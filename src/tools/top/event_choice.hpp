// Chooses what `charm top` counts: everything that the catalogue has for this core, a part of it, or the user's own
// events. Each event costs a descriptor for every watched thread and some work of the kernel at every switch of
// threads, so a program with many threads that wake often is watched with few events or none.
#pragma once

#include <string>
#include <vector>

#include "counters/event_text.hpp"
#include "counters/plan.hpp"

namespace charm::top {

constexpr counters::FillSet all_sources() {
  counters::FillSet all;
  for (const auto source : counters::all_fill_sources) all.add(source);
  return all;
}

struct EventChoice {
  bool none = false;
  bool asked = false;                         ///< somebody has named what to count
  std::vector<counters::UserEvent> own;       ///< instead of the catalogue's
  counters::FillSet sources = all_sources();  ///< of the catalogue's
  bool instructions = true;
  bool cycles = true;
};

/// \param text "all", "none", a list of what the catalogue counts ("other_chiplet,local_dram,instructions"), or events
/// as the setting `counter_events` has them ("local_dram=4:0x8f43"). \throws Error (bad_input, bad_config).
EventChoice event_choice(const std::string& text);

/// The part of a plan that is chosen; empty where the core has no such event.
counters::EventPlan chosen(const counters::EventPlan& plan, const EventChoice& choice);

}  // namespace charm::top
