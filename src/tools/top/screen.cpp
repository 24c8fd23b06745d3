#include "tools/top/screen.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <utility>

#include "base/format.hpp"
#include "base/utf8.hpp"
#include "tools/top/keys.hpp"
#include "tools/top/line.hpp"
#include "tools/top/styles.hpp"
#include "tools/top/tables.hpp"
#include "topology/core_kind_words.hpp"

namespace charm::top {
namespace {

/// One cell for each core (or for the mean of several, if they do not fit): a bar of eight heights, or tenths.
std::string core_cells(const std::vector<CoreShare>& cores, std::size_t room, bool unicode) {
  static constexpr std::array<const char*, 8> bars = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  const std::size_t cells = std::min(cores.size(), room);
  std::string text;
  for (std::size_t cell = 0; cell < cells; ++cell) {
    const std::size_t from = cell * cores.size() / cells;
    const std::size_t to = (cell + 1) * cores.size() / cells;
    double busy = 0;
    for (std::size_t i = from; i < to; ++i) busy += cores[i].busy / static_cast<double>(to - from);
    busy = std::clamp(busy, 0.0, 1.0);
    if (unicode) {
      text += busy < 0.005 ? "·" : bars[static_cast<std::size_t>(std::lround(busy * 7))];
    } else {
      text += busy < 0.005 ? '.' : static_cast<char>('0' + std::min(9, static_cast<int>(busy * 10)));
    }
  }
  return text;
}

class Screen {
 public:
  Screen(const Snapshot& snapshot, const ScreenOptions& look) : s_(snapshot), look_(look) {}

  std::vector<std::string> all() {
    title();
    machine();
    memory();
    fills();
    policy();
    if (!look_.metrics.empty()) put(Line().add("metrics    " + look_.metrics));
    if (look_.help) {
      for (const Line& line : help_lines()) put(line);
    } else {
      chiplets();
      table(lines_below());
      moves();
    }
    keys();
    if (lines_.size() > look_.height) lines_.resize(look_.height);
    return std::move(lines_);
  }

 private:
  void put(const Line& line) { lines_.push_back(line.render(look_.width, look_.colour)); }
  [[nodiscard]] std::size_t left_over() const { return look_.height - std::min(look_.height, lines_.size()); }

  void title() {
    const std::string what = s_.pid == 0 ? s_.program + ": " + std::to_string(s_.processes) + " processes"
                                         : s_.program + " (" + std::to_string(s_.pid) + ")";
    Line line;
    line.add("charm top  ", bold).add(what, bold);
    line.add(", " + base::counted(static_cast<std::size_t>(s_.threads), "thread"));
    if (s_.ended) {
      line.add(", has ended", "31");
    } else if (s_.interval_s > 0) {
      line.add(format(", %.2f cpus", s_.busy_cpus), bold);
    }
    std::string when = s_.interval_s > 0 ? format("%.1f s", s_.interval_s) : "waiting";
    if (!look_.clock.empty()) when = look_.clock + "  " + when;
    const std::string whole = line.render(look_.width, false);
    const std::size_t used = base::display_width(whole) + base::display_width(when);
    if (used + 2 <= look_.width) line.add(std::string(look_.width - used, ' ')).add(when, dim);
    put(line);
  }

  /// "6 performance, 80 % busy; 8 efficiency, 3 % busy" where there are several kinds of cores.
  [[nodiscard]] std::string kinds() const {
    std::map<CoreKind, std::pair<std::size_t, double>> of_kind;  // how many, and their shares together
    for (const auto& chiplet : s_.chiplets) {
      for (const CoreShare& core : chiplet.cores) {
        auto& [count, busy] = of_kind[core.kind];
        ++count;
        busy += core.busy;
      }
    }
    std::string text;
    for (const auto& [kind, sum] : of_kind) {
      text += (text.empty() ? "" : "; ") + std::to_string(sum.first) + " " + std::string(base::word_of(kind)) + ", " +
              percent(sum.second / static_cast<double>(sum.first)) + " busy";
    }
    return of_kind.size() > 1 ? text : "";
  }

  void machine() {
    std::size_t cores = 0;
    for (const auto& chiplet : s_.chiplets) cores += chiplet.cores.size();
    Line line;
    line.add("machine    " + base::counted(s_.chiplets.size(), "chiplet") + ", " + base::counted(cores, "core") + ", ");
    line.add(percent(s_.machine_busy) + " busy", busy_style(s_.machine_busy));
    if (s_.memory_gb_per_s) line.add(format("; %.2f GB/s from memory", *s_.memory_gb_per_s));
    put(line);
    if (const std::string of = kinds(); !of.empty()) put(Line().add("cores      " + of));
    if (!s_.placed_by.empty()) put(Line().add("system     " + s_.placed_by));
  }

  /// Where memory lies, if there is more than one place.
  void memory() {
    if (s_.bytes_by_node.size() < 2) return;
    std::uint64_t all = 0;
    for (const auto& [node, bytes] : s_.bytes_by_node) all += bytes;
    Line line;
    line.add("memory     " + base::format_bytes(all));
    bool first = true;
    for (const auto& [node, bytes] : s_.bytes_by_node) {
      const double part = all > 0 ? static_cast<double>(bytes) / static_cast<double>(all) : 0;
      line.add((first ? ": node " : ", node ") + std::to_string(node) + " ").add(percent(part), bold);
      first = false;
    }
    put(line);
  }

  void fills() {
    if (!s_.fills) {
      const std::string why = s_.why_no_fills.empty() ? "wait a moment" : s_.why_no_fills;
      // A remedy that does not fit is of no use; on a small screen the threads are more important.
      const std::size_t most = look_.height >= 20 ? 4 : 1;
      const auto parts = wrapped("not counted: " + why, look_.width > 11 ? look_.width - 11 : 1, most);
      for (std::size_t i = 0; i < parts.size(); ++i)
        put(Line().add(i == 0 ? "fills/s    " : "           ").add(parts[i], dim));
      return;
    }
    Line line;
    line.add("fills/s    ");
    bool first = true;
    for (const auto source : counters::all_fill_sources) {
      if (!s_.fills->has.has(source)) continue;
      std::string name(counters::name(source));
      std::replace(name.begin(), name.end(), '_', ' ');
      line.add((first ? "" : ", ") + name + " ").add(short_number(s_.fills->per_s[index(source)]), bold);
      first = false;
    }
    put(line);
  }

  void policy() {
    if (s_.controller) {
      Line line;
      line.add("policy     " + s_.controller->policy, bold);
      line.add(", " + base::counted(static_cast<std::size_t>(std::max(0, s_.controller->workers)), "worker"));
      if (s_.controller->spread >= 0) {
        line.add(" on " + base::counted(static_cast<std::size_t>(s_.controller->spread), "chiplet"));
      }
      line.add(", " + base::counted(static_cast<std::size_t>(s_.controller->decisions), "decision"));
      put(line);
    } else if (!s_.why_no_controller.empty()) {
      put(Line().add("policy     ").add(s_.why_no_controller, dim));
    }
  }

  void chiplets() {
    std::size_t most_cores = 5;  // the heading's room
    for (const auto& chiplet : s_.chiplets) most_cores = std::max(most_cores, chiplet.cores.size());
    // "  0  47 %  40 %    4  ▃█▁▁▁▁▁▁", as many beside each other as there is room for.
    constexpr std::size_t fixed = 26;
    const std::size_t cells = std::min(most_cores, look_.width > fixed ? look_.width - fixed : 1);
    const std::size_t column = fixed + cells;
    const std::size_t columns = std::max<std::size_t>(1, (look_.width + 2) / (column + 2));
    const std::size_t most_rows = std::max<std::size_t>(1, look_.height / (look_.height < 16 ? 6 : 3));
    std::vector<const ChipletShare*> shown;
    for (const auto& chiplet : s_.chiplets) shown.push_back(&chiplet);
    const std::size_t room = most_rows * columns;
    const std::size_t left_out = shown.size() > room ? shown.size() - room : 0;
    if (left_out > 0) {  // the busiest stay, in their order
      std::sort(shown.begin(), shown.end(), [](const auto* a, const auto* b) {
        return a->busy + a->own != b->busy + b->own ? a->busy + a->own > b->busy + b->own : a->id < b->id;
      });
      shown.resize(room);
      std::sort(shown.begin(), shown.end(), [](const auto* a, const auto* b) { return a->id < b->id; });
    }
    const std::size_t rows = (shown.size() + columns - 1) / columns;
    Line head;
    for (std::size_t c = 0; c < std::min(columns, shown.size()); ++c) {
      head.add(c == 0 ? "" : "  ", heading).add(left("chiplet  busy   own thr  cores", column), heading);
    }
    put(head);
    for (std::size_t r = 0; r < rows; ++r) {
      Line line;
      for (std::size_t c = 0; c < columns && c * rows + r < shown.size(); ++c) {
        const ChipletShare& chiplet = *shown[c * rows + r];
        line.add((c == 0 ? "" : "  ") + right(std::to_string(chiplet.id), 7), bold);
        line.add(right(percent(chiplet.busy), 6), busy_style(chiplet.busy));
        line.add(right(percent(chiplet.own), 6) + right(std::to_string(chiplet.threads), 4) + "  ");
        line.add(left(core_cells(chiplet.cores, cells, look_.unicode), cells + 1));
      }
      put(line);
    }
    if (left_out > 0) put(Line().add("        and " + base::counted(left_out, "quieter chiplet"), dim));
  }

  /// Lines that the moves and the keys shall have under the threads.
  [[nodiscard]] std::size_t lines_below() const {
    const std::size_t for_keys = look_.keys && look_.height >= 6 ? 1 : 0;
    const std::size_t events = event_count();
    if (look_.height < 16 || events == 0) return for_keys;
    const std::size_t most = look_.height >= 40 ? 10 : 4;
    return for_keys + 1 + std::min(events, most);
  }

  [[nodiscard]] std::size_t event_count() const {
    return s_.moves.size() + (s_.controller ? s_.controller->latest.size() : 0);
  }

  void table(std::size_t below) {
    if (left_over() <= below + 1) return;
    const TableLook look{look_.width, look_.unicode};
    const std::size_t room = left_over() - below - 1;
    if (look_.view.processes) {
      const std::vector<ProcessRow> rows = process_rows(s_, look_.view);
      const ProcessTable shape(rows, look_.view, look);
      put(shape.head());
      for (std::size_t i = first_of(rows.size()); i < rows.size() && i < first_of(rows.size()) + room; ++i)
        put(shape.line(rows[i]));
    } else {
      const auto rows = thread_rows(s_, look_.view);
      const ThreadTable shape(s_, look_.view, look);
      put(shape.head());
      for (std::size_t i = first_of(rows.size()); i < rows.size() && i < first_of(rows.size()) + room; ++i)
        put(shape.line(*rows[i]));
    }
    while (left_over() > below && below > 0 && look_.keys) put(Line());
  }
  /// The last row stays on the screen, however far it is scrolled.
  [[nodiscard]] std::size_t first_of(std::size_t rows) const {
    return std::min(look_.scroll, rows == 0 ? 0 : rows - 1);
  }

  /// The latest last. A CHARM program's decisions are why its workers move, so they come below what was seen.
  void moves() {
    const std::size_t for_keys = look_.keys && look_.height >= 6 ? 1 : 0;
    if (left_over() <= for_keys + 1 || event_count() == 0 || look_.height < 16) return;
    put(Line().add(left("moves between chiplets: " + std::to_string(s_.moves_seen) + " seen", look_.width), heading));
    std::size_t room = left_over() - for_keys;
    const std::vector<Decision> latest = s_.controller ? s_.controller->latest : std::vector<Decision>();
    const std::size_t decisions = std::min(latest.size(), (room + 1) / 2);
    const std::size_t seen = std::min(s_.moves.size(), room - decisions);
    for (std::size_t i = s_.moves.size() - seen; i < s_.moves.size(); ++i) {
      const Move& move = s_.moves[i];
      put(Line()
              .add(format("%8.1f s  ", move.time_s))
              .add(move.name + " (" + std::to_string(move.tid) + ")")
              .add(": chiplet " + chiplet_name(move.from) + " to " + chiplet_name(move.to)));
    }
    for (std::size_t i = 0; i < decisions; ++i) {
      const Decision& decision = latest[latest.size() - decisions + i];
      put(Line()
              .add(format("%8.1f s  decided: %d to %d chiplets: ", decision.time, decision.from, decision.to), bold)
              .add(decision.reason + (decision.outcome.empty() ? "" : ": " + decision.outcome)));
    }
  }

  void keys() {
    if (!look_.keys || look_.height < 6) return;
    while (lines_.size() + 1 < look_.height) put(Line());
    if (lines_.size() >= look_.height) lines_.resize(look_.height - 1);
    if (look_.typing) {
      put(Line().add("filter: ", bold).add(base::printable(look_.view.filter) + "_"));
      return;
    }
    if (look_.help) {
      put(Line().add("any key goes back", dim));
      return;
    }
    const std::size_t rows = row_count(s_, look_.view);
    const std::size_t hidden = first_of(rows);
    std::string text = "q quits, ? shows all keys; ";
    text += std::string(look_.view.processes ? "processes" : "threads") + " by " +
            std::string(name_of(sorted_by(look_.view))) + (look_.view.reversed ? " (reversed)" : "");
    if (!look_.view.filter.empty()) text += ", with '" + base::printable(look_.view.filter) + "'";
    if (hidden > 0) text += "; " + std::to_string(hidden) + " above";
    if (look_.held) text += "; held";
    put(Line().add(text, dim));
  }

  const Snapshot& s_;
  const ScreenOptions& look_;
  std::vector<std::string> lines_;
};

}  // namespace

std::vector<std::string> render(const Snapshot& snapshot, const ScreenOptions& look) {
  if (look.width == 0 || look.height == 0) return {};
  return Screen(snapshot, look).all();
}

}  // namespace charm::top
