#include "counters/recording.hpp"

#include <charm/error.hpp>

#include <array>
#include <charconv>
#include <cstdio>
#include <istream>
#include <string_view>

namespace charm::counters {
namespace {

constexpr std::string_view first_line = "# charm counters 1";
constexpr std::string_view column_names =
    "time_ns,worker,instructions,cycles,own_l2,own_chiplet,other_chiplet,remote_cache,local_dram,remote_dram,other,"
    "page_faults,migrations,waiting_ns,counted_share";
constexpr std::size_t columns = 15;

std::vector<std::string> split(const std::string& line) {
  std::vector<std::string> cells(1);
  for (const char c : line) {
    if (c == ',')
      cells.emplace_back();
    else if (c != '\r')
      cells.back() += c;
  }
  return cells;
}

/// Reads the cells of one file and knows where it is.
class Lines {
 public:
  Lines(std::istream& in, std::string name) : in_(in), name_(std::move(name)) {}

  bool next(std::string& line) {
    ++number_;
    if (!std::getline(in_, line)) return false;
    while (!line.empty() && (line.back() == '\r' || line.back() == ' ')) line.pop_back();
    return true;
  }
  [[noreturn]] void refuse(const std::string& problem) const {
    throw Error(Errc::bad_input, name_ + ":" + std::to_string(number_) + ": " + problem,
                "give a file that CHARM_COUNTERS=record:FILE wrote, or one in the format of docs/counters.md");
  }
  [[nodiscard]] std::uint64_t number(const std::string& cell) const {
    std::uint64_t value = 0;
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (cell.empty() || error != std::errc() || end != cell.data() + cell.size())
      refuse("'" + cell + "' is no whole number");
    return value;
  }

 private:
  std::istream& in_;
  std::string name_;
  std::size_t number_ = 0;
};

Reading parse_reading(const Lines& lines, const std::vector<std::string>& cells) {
  Reading reading;
  std::size_t at = 2;
  const auto take = [&](std::uint64_t& field) {
    const std::string& cell = cells[at++];
    if (cell.empty()) return false;
    field = lines.number(cell);
    return true;
  };
  reading.time_ns = lines.number(cells[0]);
  reading.has.instructions = take(reading.instructions);
  reading.has.cycles = take(reading.cycles);
  for (const FillSource source : all_fill_sources) {
    if (take(reading.fills[index(source)])) reading.has.fills.add(source);
  }
  reading.has.page_faults = take(reading.page_faults);
  reading.has.migrations = take(reading.migrations);
  reading.has.waiting = take(reading.waiting_ns);
  const std::string& share = cells[at];
  if (!share.empty()) {
    const auto [end, error] = std::from_chars(share.data(), share.data() + share.size(), reading.counted_share);
    if (error != std::errc() || end != share.data() + share.size() || !(reading.counted_share >= 0) ||
        reading.counted_share > 1)
      lines.refuse("counted_share '" + share + "' is not between 0 and 1");
  }
  return reading;
}

/// "# class own_chiplet: own_chiplet + other_chiplet: meaning"
FillClass parse_class(const Lines& lines, const std::string& text) {
  const auto first = text.find(": ");
  const auto second = text.find(": ", first == std::string::npos ? first : first + 2);
  const auto source = fill_source_named(text.substr(0, first));
  if (!source || first == std::string::npos) lines.refuse("'" + text + "' is no class of fills");
  FillClass result{*source, {}, second == std::string::npos ? "" : text.substr(second + 2)};
  std::string covers = text.substr(first + 2, second == std::string::npos ? second : second - first - 2);
  for (std::size_t start = 0; start <= covers.size();) {
    const auto end = std::min(covers.find(" + ", start), covers.size());
    const auto one = fill_source_named(covers.substr(start, end - start));
    if (!one) lines.refuse("'" + covers + "' are no fill sources");
    result.covers.add(*one);
    start = end + 3;
  }
  return result;
}

bool goes_back(const Reading& before, const Reading& now) {
  bool back = now.time_ns < before.time_ns || now.instructions < before.instructions || now.cycles < before.cycles ||
              now.page_faults < before.page_faults || now.migrations < before.migrations ||
              now.waiting_ns < before.waiting_ns;
  for (std::size_t i = 0; i < fill_sources; ++i) back = back || now.fills[i] < before.fills[i];
  return back;
}

std::string cell(bool measured, std::uint64_t value) { return measured ? std::to_string(value) : ""; }

}  // namespace

std::string recording_header(const Description& description) {
  std::string text(first_line);
  text += "\n# from " + description.name + "\n";
  for (const FillClass& one : description.classes) {
    text += "# class " + std::string(name(one.reported_as)) + ": " + to_text(one.covers) + ": " + one.meaning + "\n";
  }
  text += column_names;
  text += '\n';
  return text;
}

std::string recording_line(int worker, const Reading& reading) {
  std::string text = std::to_string(reading.time_ns) + "," + std::to_string(worker);
  text += "," + cell(reading.has.instructions, reading.instructions);
  text += "," + cell(reading.has.cycles, reading.cycles);
  for (const FillSource source : all_fill_sources) {
    text += "," + cell(reading.has.fills.has(source), reading.fills[index(source)]);
  }
  text += "," + cell(reading.has.page_faults, reading.page_faults);
  text += "," + cell(reading.has.migrations, reading.migrations);
  text += "," + cell(reading.has.waiting, reading.waiting_ns);
  std::array<char, 32> share{};
  const auto end = std::to_chars(share.data(), share.data() + share.size(), reading.counted_share).ptr;
  text += "," + std::string(share.data(), end) + "\n";
  return text;
}

std::string recording_line(std::uint64_t time_ns, const Pressure& pressure) {
  return std::to_string(time_ns) + ",pressure," + std::to_string(pressure.cpu_us) + "," +
         std::to_string(pressure.memory_us) + "\n";
}

Recording read_recording(std::istream& in, const std::string& file) {
  Recording recording;
  Lines lines(in, file);
  std::string line;
  if (!lines.next(line) || line != first_line)
    lines.refuse("this is no recording: it does not begin with '" + std::string(first_line) + "'");
  bool named = false;
  while (lines.next(line)) {
    if (line.empty()) continue;
    if (line.front() == '#') {
      if (line.starts_with("# class ")) recording.classes.push_back(parse_class(lines, line.substr(8)));
      continue;
    }
    if (!named) {
      if (line != column_names) lines.refuse("the columns are not '" + std::string(column_names) + "'");
      named = true;
      continue;
    }
    const auto cells = split(line);
    if (cells.size() == 4 && cells[1] == "pressure") {
      recording.pressure.push_back({lines.number(cells[0]), {lines.number(cells[2]), lines.number(cells[3]), true}});
      continue;
    }
    if (cells.size() != columns) lines.refuse("there are " + std::to_string(cells.size()) + " columns, not 15");
    const std::uint64_t worker = lines.number(cells[1]);
    if (worker > 65535) lines.refuse("worker " + cells[1] + " is not below 65536");
    auto& readings = recording.workers[static_cast<int>(worker)];
    const Reading reading = parse_reading(lines, cells);
    if (!readings.empty() && goes_back(readings.back(), reading)) lines.refuse("a total or the time goes back");
    readings.push_back(reading);
  }
  if (recording.workers.empty()) lines.refuse("there is no reading");
  return recording;
}

}  // namespace charm::counters
