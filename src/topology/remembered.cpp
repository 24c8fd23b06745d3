#include "topology/remembered.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <charconv>
#include <cstdint>
#include <functional>
#include <string_view>

#include "base/clock.hpp"
#include "os/files/output_file.hpp"
#include "os/files/private_file.hpp"
#include "topology/survey_wire.hpp"

extern char** environ;

namespace charm::topology {
namespace {

constexpr std::size_t most_file_bytes = 4U << 20;

std::string head_of(const os::MachineState& state) { return "charm machine 3 " + state.text + "\n"; }

/// Against accidents only, by the same program as it was written by (while nothing has changed).
std::uint64_t checksum(std::string_view text) { return std::hash<std::string_view>()(text); }

/// Takes a number and the line's end behind it.
template <class Number>
bool take_line(std::string_view& text, Number& value) {
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end == text.data() + text.size() || *end != '\n') return false;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()) + 1);
  return true;
}

/// hwloc obeys variables of its own, and then this machine is not what it seems.
bool variables_of_hwloc() {
  for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
    if (std::string_view(*entry).starts_with("HWLOC_")) return true;
  }
  return false;
}

}  // namespace

std::optional<Survey> remembered(const std::string& file, const os::MachineState& state, double now) {
  const auto text = os::read_private_file(file, most_file_bytes);
  const std::string head = head_of(state);
  if (!text || !text->starts_with(head)) return std::nullopt;
  std::string_view rest = std::string_view(*text).substr(head.size());
  std::int64_t second = 0;
  std::uint64_t sum = 0;
  if (!take_line(rest, second) || !take_line(rest, sum) || sum != checksum(rest)) return std::nullopt;
  const double age = now - static_cast<double>(second);
  if (age < 0 || age > most_remembered_s) return std::nullopt;
  std::string problem;
  return survey_from_text(std::string(rest), problem);
}

void remember(const std::string& file, const os::MachineState& state, const Survey& survey, double now) {
  const bool whole = state.online_cpus.is_subset_of(survey.allowed_cpus) &&
                     state.online_nodes.is_subset_of(survey.allowed_nodes) && survey.origin == "live";
  if (!whole) return;
  if (!os::prepare_private_folder(file.substr(0, file.rfind('/'))).empty()) return;
  const std::string text = survey_text(survey);
  try {
    os::write_whole(file, head_of(state) + std::to_string(static_cast<std::int64_t>(now)) + "\n" +
                              std::to_string(checksum(text)) + "\n" + text);
  } catch (const Error&) {  // a full disk, or a limit: nobody waits for it
  }
}

Survey survey_live_or_remembered() {
  const auto state = variables_of_hwloc() ? std::nullopt : os::machine_state();
  if (!state) return survey_live();
  const std::string file = os::private_folder() + "/machine";
  const double now = base::monotonic_seconds();
  if (auto survey = remembered(file, *state, now)) return *survey;
  Survey survey = survey_live();
  remember(file, *state, survey, now);
  return survey;
}

}  // namespace charm::topology
