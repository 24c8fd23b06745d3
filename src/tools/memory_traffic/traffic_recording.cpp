#include "tools/memory_traffic/traffic_recording.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <memory>
#include <string_view>

#include "base/format.hpp"
#include "os/files/system_files.hpp"
#include "tools/memory_traffic/index.hpp"
#include "tools/memory_traffic/source_kinds.hpp"

namespace charm::memory_traffic {
namespace {

constexpr std::string_view first_line = "# charm traffic 1";

[[noreturn]] void refuse_line(const std::string& name, std::size_t line, const std::string& what) {
  throw Error(Errc::bad_input, name + ":" + std::to_string(line) + ": " + what,
              "record it with 'charm malloc sample --record FILE', or see docs/malloc.md");
}

std::string_view next_cell(std::string_view& text, char end) {
  const std::size_t at = text.find(end);
  std::string_view part = text.substr(0, at);
  text.remove_prefix(at == std::string_view::npos ? text.size() : at + 1);
  if (!part.empty() && part.back() == '\r') part.remove_suffix(1);
  return part;
}

/// Where a column's numbers go.
struct Column {
  std::vector<double> Bandwidths::* what = nullptr;
  std::size_t at = 0;
};

std::optional<Column> column_named(const Model& model, std::string_view name) {
  const std::size_t colon = name.find(':');
  if (colon == std::string_view::npos) return std::nullopt;
  const std::string_view kind = name.substr(0, colon);
  const std::string_view of = name.substr(colon + 1);
  if (kind == "memory") {
    for (std::size_t m = 0; m < model.memories.size(); ++m) {
      if (std::to_string(model.memories[m].os_node) == of) return Column{&Bandwidths::memory, m};
    }
    return std::nullopt;
  }
  if (kind != "out" && kind != "in") return std::nullopt;
  for (std::size_t d = 1; d < model.domains.size(); ++d) {
    if (model.domains[d].name == of) return Column{kind == "out" ? &Bandwidths::out : &Bandwidths::in, d};
  }
  return std::nullopt;
}

std::optional<double> cell_number(std::string_view text) {
  double value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size() || !std::isfinite(value) || value < 0)
    return std::nullopt;
  return value;
}

class Replay : public TrafficSource {
 public:
  Replay(std::vector<RecordedTraffic> readings, std::string file)
      : readings_(std::move(readings)), file_(std::move(file)) {}

  Bandwidths read(double now_s) override {
    if (began_s_ < 0) began_s_ = now_s;
    // Each reading tells of the time up to its own; behind the last it begins anew.
    const double length = readings_.back().seconds;
    const double at = length > 0 ? std::fmod(now_s - began_s_, length) : 0;
    const auto found =
        std::upper_bound(readings_.begin(), readings_.end(), at,
                         [](double seconds, const RecordedTraffic& each) { return seconds < each.seconds; });
    return found == readings_.end() ? readings_.back().used : found->used;
  }
  [[nodiscard]] std::string description() const override {
    return base::counted(readings_.size(), "reading") + " of " + file_;
  }
  [[nodiscard]] bool is_live() const override { return false; }

 private:
  std::vector<RecordedTraffic> readings_;
  std::string file_;
  double began_s_ = -1;
};

}  // namespace

std::vector<RecordedTraffic> recorded_traffic(const Model& model, const std::string& text, const std::string& name) {
  std::string_view rest = text;
  if (next_cell(rest, '\n') != first_line)
    refuse_line(name, 1, "it does not begin with '" + std::string(first_line) + "'");
  std::string_view heading = next_cell(rest, '\n');
  if (next_cell(heading, ',') != "seconds") refuse_line(name, 2, "the first column is not 'seconds'");
  std::vector<Column> columns;
  while (!heading.empty()) {
    const std::string_view word = next_cell(heading, ',');
    const auto column = column_named(model, word);
    if (!column) refuse_line(name, 2, "the model '" + model.name + "' has no '" + std::string(word) + "'");
    columns.push_back(*column);
  }
  if (columns.empty()) refuse_line(name, 2, "there is no column besides 'seconds'");
  std::vector<RecordedTraffic> readings;
  for (std::size_t line = 3; !rest.empty(); ++line) {
    std::string_view cells = next_cell(rest, '\n');
    if (cells.empty() || cells.front() == '#') continue;
    RecordedTraffic reading{0, no_traffic(model)};
    const auto seconds = cell_number(next_cell(cells, ','));
    if (!seconds || (!readings.empty() && *seconds <= readings.back().seconds))
      refuse_line(name, line, "the time is no number, or not behind the one before");
    reading.seconds = *seconds;
    for (const Column& column : columns) {
      const auto value = cell_number(next_cell(cells, ','));
      if (!value) refuse_line(name, line, "a value is missing, or no number of GB/s");
      (reading.used.*column.what)[column.at] = *value;
    }
    if (!cells.empty()) refuse_line(name, line, "there are more values than names");
    readings.push_back(std::move(reading));
  }
  if (readings.empty()) refuse_line(name, 3, "there is no reading");
  return readings;
}

std::string traffic_heading(const Model& model) {
  std::string text(first_line);
  text += "\nseconds";
  for (const Memory& memory : model.memories) text += ",memory:" + std::to_string(memory.os_node);
  for (std::size_t d = 1; d < model.domains.size(); ++d)
    text += ",out:" + model.domains[d].name + ",in:" + model.domains[d].name;
  return text + "\n";
}

std::string traffic_line(const RecordedTraffic& reading) {
  char cell[40];
  std::snprintf(cell, sizeof cell, "%.6g", reading.seconds);
  std::string text = cell;
  const auto add = [&](double value) {
    std::snprintf(cell, sizeof cell, ",%.6g", value);
    text += cell;
  };
  for (const double value : reading.used.memory) add(value);
  for (std::size_t d = 1; d < reading.used.out.size(); ++d) {
    add(reading.used.out[d]);
    add(reading.used.in[d]);
  }
  return text + "\n";
}

SourceOrReason open_recording(const Surroundings& around, const std::string& file) {
  const std::string text = os::read_text(file);
  if (text.empty()) return {nullptr, "the file '" + file + "' cannot be read or is empty"};
  return {std::make_unique<Replay>(recorded_traffic(*around.model, text, file), file), ""};
}

}  // namespace charm::memory_traffic
