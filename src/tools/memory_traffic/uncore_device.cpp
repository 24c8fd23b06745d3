#include "tools/memory_traffic/uncore_device.hpp"

#include <algorithm>
#include <charconv>
#include <cstdlib>
#include <filesystem>
#include <system_error>
#include <tuple>

#include "os/files/system_files.hpp"
#include "os/perf/perf_access.hpp"

namespace charm::memory_traffic {
namespace {

/// The numbers in a name, in their order.
std::vector<int> numbers_in(const std::string& name) {
  std::vector<int> numbers;
  for (std::size_t i = 0; i < name.size();) {
    int value = 0;
    const auto [end, error] = std::from_chars(name.data() + i, name.data() + name.size(), value);
    if (error != std::errc() || name[i] == '-') {
      ++i;
      continue;
    }
    numbers.push_back(value);
    i = static_cast<std::size_t>(end - name.data());
  }
  return numbers;
}

/// The text of a file for a person or a parser: its first line without blanks at the end.
std::string sysfs_line(const std::filesystem::path& path) { return os::first_line(path.string()).value_or(""); }

/// "6.103515625e-5" and "MiB".
std::optional<double> bytes_of_unit(const std::string& scale, const std::string& unit) {
  if (scale.empty()) return std::nullopt;
  const double factor = std::strtod(scale.c_str(), nullptr);
  const double size = unit == "MiB" ? 1048576 : unit == "KiB" ? 1024 : unit == "MB" ? 1e6 : unit == "Bytes" ? 1 : 0;
  return factor > 0 && size > 0 ? std::optional<double>(factor * size) : std::nullopt;
}

/// The next part of a list, which is removed from it.
std::string_view next_term(std::string_view& list) {
  const std::size_t comma = list.find(',');
  const std::string_view part = list.substr(0, comma);
  list.remove_prefix(comma == std::string_view::npos ? list.size() : comma + 1);
  return part;
}

std::optional<std::uint64_t> term_number(std::string_view text) {
  const int base = text.starts_with("0x") || text.starts_with("0X") ? 16 : 10;
  if (base == 16) text.remove_prefix(2);
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

/// Puts the value into the bits that a term has: "config1:0-7,32-35", its low bits first.
bool put_bits(os::UncoreEvent& event, std::string_view format, std::uint64_t value) {
  const std::size_t colon = format.find(':');
  const std::string_view word = format.substr(0, colon);
  const std::size_t at = word == "config" ? 0 : word == "config1" ? 1 : word == "config2" ? 2 : event.config.size();
  if (colon == std::string_view::npos || at == event.config.size()) return false;
  std::string_view ranges = format.substr(colon + 1);
  while (!ranges.empty()) {
    const std::string_view range = next_term(ranges);
    const std::size_t dash = range.find('-');
    const auto low = term_number(range.substr(0, dash));
    const auto high = dash == std::string_view::npos ? low : term_number(range.substr(dash + 1));
    if (!low || !high || *low > *high || *high > 63) return false;
    for (std::uint64_t bit = *low; bit <= *high; ++bit, value >>= 1U) event.config[at] |= (value & 1U) << bit;
  }
  return value == 0;
}

}  // namespace

std::vector<UncoreDevice> uncore_devices(const std::string& root) {
  namespace fs = std::filesystem;
  std::vector<UncoreDevice> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(os::path_below(root, "sys/bus/event_source/devices"), ignored)) {
    UncoreDevice device;
    device.name = entry.path().filename().string();
    device.kind = os::uncore_kind(device.name);
    // Free-running counters have events of their own, of which the others know nothing.
    if (device.kind.empty() || device.name.find("free_running") != std::string::npos) continue;
    const auto type = term_number(sysfs_line(entry.path() / "type"));
    if (!type) continue;
    device.type = static_cast<std::uint32_t>(*type);
    if (const auto cpus = CpuSet::try_parse(sysfs_line(entry.path() / "cpumask"))) device.cpus = *cpus;
    for (const auto& term : fs::directory_iterator(entry.path() / "format", ignored))
      device.terms[term.path().filename().string()] = sysfs_line(term.path());
    for (const auto& event : fs::directory_iterator(entry.path() / "events", ignored)) {
      const std::string name = event.path().filename().string();
      if (name.find('.') != std::string::npos) continue;  // a scale or a unit
      device.named[name] = sysfs_line(event.path());
      const auto bytes =
          bytes_of_unit(sysfs_line(event.path().string() + ".scale"), sysfs_line(event.path().string() + ".unit"));
      if (bytes) device.bytes[name] = *bytes;
    }
    found.push_back(std::move(device));
  }
  std::sort(found.begin(), found.end(), [](const UncoreDevice& a, const UncoreDevice& b) {
    return std::forward_as_tuple(a.kind, numbers_in(a.name), a.name) <
           std::forward_as_tuple(b.kind, numbers_in(b.name), b.name);
  });
  return found;
}

std::optional<os::UncoreEvent> encoded(const UncoreDevice& device, std::string_view text) {
  os::UncoreEvent event{device.type, {}};
  while (!text.empty()) {
    const std::string_view part = next_term(text);
    const std::size_t equals = part.find('=');
    const auto term = device.terms.find(std::string(part.substr(0, equals)));
    const auto value =
        equals == std::string_view::npos ? std::optional<std::uint64_t>(1) : term_number(part.substr(equals + 1));
    if (!value) return std::nullopt;
    // Some drivers name their events by the words themselves: "config=0x1".
    const std::string_view name = part.substr(0, equals);
    const bool is_word = name == "config" || name == "config1" || name == "config2";
    const std::string format = term != device.terms.end() ? term->second : is_word ? std::string(name) + ":0-63" : "";
    if (!put_bits(event, format, *value)) return std::nullopt;
  }
  return event;
}

}  // namespace charm::memory_traffic
