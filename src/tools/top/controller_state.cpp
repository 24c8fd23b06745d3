#include "tools/top/controller_state.hpp"

#include <algorithm>
#include <cmath>
#include <sstream>

#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "os/files/private_file.hpp"
#include "trace/decision_file.hpp"

namespace charm::top {
namespace {

using ReadJson = base::SortedJson;

/// On one line and without what could drive a terminal.
std::string plain(const std::string& text) {
  std::string out;
  for (const char c : text) out += static_cast<unsigned char>(c) < 0x20 || c == 0x7f ? ' ' : c;
  return out;
}

std::string text_of(const ReadJson& object, const char* key) {
  const auto at = object.find(key);
  return at != object.end() && at->is_string() ? plain(at->get<std::string>()) : std::string();
}

double number_of(const ReadJson& object, const char* key, double otherwise = 0) {
  const auto at = object.find(key);
  if (at == object.end() || !at->is_number()) return otherwise;
  const double value = at->get<double>();
  return std::isfinite(value) ? value : otherwise;
}

int whole_of(const ReadJson& object, const char* key, int otherwise = 0) {
  return static_cast<int>(std::clamp(number_of(object, key, otherwise), -1.0, 1e6));
}

Decision decision_of(const ReadJson& line) {
  Decision decision;
  decision.time = number_of(line, "time_s");
  decision.control_group = whole_of(line, "control_group");
  decision.from = whole_of(line, "from");
  decision.to = whole_of(line, "to");
  decision.throughput = number_of(line, "throughput");
  decision.stall_other_chiplet = number_of(line, "stall_other_chiplet", -1);
  decision.stall_dram = number_of(line, "stall_dram", -1);
  decision.reason = text_of(line, "reason");
  decision.outcome = text_of(line, "outcome");
  decision.region = text_of(line, "region");
  return decision;
}

}  // namespace

std::optional<ControllerState> parse_decision_file(const std::string& text, const os::ProcessView& process) {
  std::istringstream lines(text);
  std::string line;
  if (!std::getline(lines, line)) return std::nullopt;
  const ReadJson first = ReadJson::parse(line, nullptr, false);
  if (!first.is_object() || number_of(first, "charm_decisions") != 1 || number_of(first, "pid") != process.pid ||
      number_of(first, "started") != static_cast<double>(process.started))
    return std::nullopt;
  ControllerState controller;
  controller.policy = text_of(first, "policy");
  controller.workers = whole_of(first, "workers");
  controller.decisions = static_cast<std::uint64_t>(std::clamp(number_of(first, "before"), 0.0, 1e15));
  while (std::getline(lines, line)) {
    const ReadJson entry = ReadJson::parse(line, nullptr, false);
    if (!entry.is_object()) continue;  // the last line may be on its way
    controller.latest.push_back(decision_of(entry));
    controller.spread = controller.latest.back().to;
    ++controller.decisions;
  }
  constexpr std::size_t kept = trace::DecisionFile::kept_lines;
  if (controller.latest.size() > kept) {
    controller.latest.erase(controller.latest.begin(), controller.latest.end() - static_cast<std::ptrdiff_t>(kept));
  }
  return controller;
}

std::optional<ControllerState> read_controller_state(const os::ProcessView& process, const std::string& folder) {
  const std::string path = trace::decision_file_path(process.pid, folder);
  const auto text = os::read_private_file(path, 2 * trace::DecisionFile::most_bytes);
  return text ? parse_decision_file(*text, process) : std::nullopt;
}

}  // namespace charm::top
