// Parses events as users write them: "4:0x444", "4:0x1b7:0x3f803c05b3", or a name that libpfm knows; and the setting
// `counter_events`, which is a list of "SOURCE=EVENT+EVENT-EVENT".
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "counters/catalogue.hpp"

namespace charm::counters {

/// Parses type:config[:config1], each decimal or 0x-hexadecimal; nothing if `text` is no such code.
std::optional<Event> parse_raw_event(const std::string& text);
std::string raw_text(const Event& event);

/// One entry of the setting `counter_events`.
struct UserEvent {
  EventRole role = EventRole::fill;
  FillSource source = FillSource::other;
  Event event;
  bool minus = false;
  std::string text;
};

/// \throws Error (bad_config) that names the entry and what is wrong with it.
std::vector<UserEvent> parse_user_events(const std::string& setting);

}  // namespace charm::counters
