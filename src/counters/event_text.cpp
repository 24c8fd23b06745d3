#include "counters/event_text.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <charconv>
#include <cstdio>
#include <sstream>

#include "os/perf/libpfm.hpp"

namespace charm::counters {
namespace {

std::optional<std::uint64_t> number(std::string_view text) {
  int base = 10;
  if (text.starts_with("0x") || text.starts_with("0X")) {
    base = 16;
    text.remove_prefix(2);
  }
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (text.empty() || error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

[[noreturn]] void refuse(const std::string& wish, const std::string& problem, const std::string& remedy) {
  throw Error(Errc::bad_config, "setting counter_events: '" + wish + "': " + problem, remedy);
}

Event event_of(const std::string& wish, const std::string& text) {
  if (auto raw = parse_raw_event(text)) return *raw;
  const os::NamedPerfEvent named = os::encode_libpfm_event(text);
  if (!named.event) {
    refuse(wish, "'" + text + "' is no type:config[:config1], and as a name: " + named.problem,
           "give numbers, as in 4:0x444, or a name that libpfm's showevtinfo prints");
  }
  return {named.event->type, named.event->config, named.event->config1};
}

}  // namespace

std::optional<Event> parse_raw_event(const std::string& text) {
  std::array<std::uint64_t, 3> numbers{};
  std::size_t count = 0;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ':'); ++count) {
    const auto value = count < numbers.size() ? number(part) : std::nullopt;
    if (!value) return std::nullopt;
    numbers[count] = *value;
  }
  if (count < 2 || text.ends_with(':') || numbers[0] > 0xffffffffU) return std::nullopt;
  return Event{static_cast<std::uint32_t>(numbers[0]), numbers[1], numbers[2]};
}

std::string raw_text(const Event& event) {
  std::array<char, 64> text{};
  const int length = event.config1 == 0 ? std::snprintf(text.data(), text.size(), "%u:0x%llx", event.type,
                                                        static_cast<unsigned long long>(event.config))
                                        : std::snprintf(text.data(), text.size(), "%u:0x%llx:0x%llx", event.type,
                                                        static_cast<unsigned long long>(event.config),
                                                        static_cast<unsigned long long>(event.config1));
  return {text.data(), static_cast<std::size_t>(length)};
}

std::vector<UserEvent> parse_user_events(const std::string& setting) {
  std::vector<UserEvent> events;
  std::istringstream wishes(setting);
  for (std::string wish; wishes >> wish;) {
    const auto equals = wish.find('=');
    if (equals == std::string::npos) refuse(wish, "there is no '='", "write SOURCE=EVENT");
    UserEvent event;
    const std::string left = wish.substr(0, equals);
    if (left == "instructions") {
      event.role = EventRole::instructions;
    } else if (left == "cycles") {
      event.role = EventRole::cycles;
    } else if (const auto source = fill_source_named(left)) {
      event.source = *source;
    } else {
      refuse(wish, "'" + left + "' is no fill source",
             "use own_l2, own_chiplet, other_chiplet, remote_cache, local_dram, remote_dram, other, instructions or "
             "cycles");
    }
    std::size_t start = equals + 1;
    do {
      const auto end = std::min(wish.find_first_of("+-", start), wish.size());
      event.text = wish.substr(start, end - start);
      if (event.text.empty()) refuse(wish, "an event is missing", "write SOURCE=EVENT or SOURCE=EVENT+EVENT");
      event.event = event_of(wish, event.text);
      events.push_back(event);
      event.minus = end < wish.size() && wish[end] == '-';
      start = end + 1;
    } while (start <= wish.size());
  }
  return events;
}

}  // namespace charm::counters
