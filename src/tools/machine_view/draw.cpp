#include "tools/machine_view/draw.hpp"

#include <algorithm>
#include <cstdio>

#include "base/format.hpp"
#include "base/utf8.hpp"
#include "tools/machine_view/text.hpp"

namespace charm::machine_view {
namespace {

using Lines = std::vector<std::string>;

constexpr std::size_t most_squares = 48;  // of one chiplet in one line; more say nothing that the number does not

class Drawing {
 public:
  Drawing(const Machine& machine, const DrawStyle& style)
      : m_(machine), style_(style), g_(glyphs(style.ascii)), dot_(g_.separator) {}

  std::string text() {
    head();
    for (const Socket& socket : m_.sockets) add(socket_box(socket));
    for (const Node& node : m_.nodes) {
      if (node.socket < 0) add(boxless(node));
    }
    distances();
    restrictions();
    if (!m_.notes.empty()) add({""});
    for (const std::string& note : m_.notes) paragraph("note: ", printable(note));
    std::string out;
    for (const std::string& line : lines_) out += line + '\n';
    return out;
  }

 private:
  void add(const Lines& lines) { lines_.insert(lines_.end(), lines.begin(), lines.end()); }

  void paragraph(const std::string& label, const std::string& text) {
    std::string indent = label;
    for (const std::string& line : wrapped(text, style_.width - label.size())) {
      lines_.push_back(indent + line);
      indent.assign(label.size(), ' ');
    }
  }

  void head() {
    if (!m_.name.empty()) paragraph("", printable(m_.name));
    if (!m_.is_live()) paragraph("from ", printable(m_.origin));
    paragraph("", base::counted(m_.sockets.size(), "socket") + dot_ + base::counted(m_.nodes.size(), "NUMA node") +
                      dot_ + base::counted(m_.chiplets.size(), "chiplet") + dot_ +
                      base::counted(m_.cores.size(), "core") + dot_ + base::counted(m_.allowed_cpus.size(), "cpu"));
    lines_.emplace_back();
  }

  /// Names come from firmware: no control characters, and in ASCII style nothing above.
  [[nodiscard]] std::string printable(const std::string& name) const {
    std::string text = base::valid_utf8(name);
    for (char& c : text) {
      const auto code = static_cast<unsigned char>(c);
      if (code < 0x20 || code == 0x7F || (style_.ascii && code > 0x7F)) c = '?';
    }
    return text;
  }

  [[nodiscard]] const Core& core(int id) const { return m_.cores[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Node& node(int id) const { return m_.nodes[static_cast<std::size_t>(id)]; }
  [[nodiscard]] const Chiplet& chiplet(int id) const { return m_.chiplets[static_cast<std::size_t>(id)]; }

  [[nodiscard]] std::string squares(const Chiplet& c) const {
    if (c.cores.size() > most_squares) return "";
    std::string text;
    for (std::size_t i = 0; i < c.cores.size(); ++i) text += g_.core;
    return style_.colour ? "\033[32m" + text + "\033[0m" : text;
  }

  static std::string cache(const Chiplet& c) {
    return c.l3_bytes == 0 ? "no L3 reported"
                           : "L" + std::to_string(c.cache_level) + " " + base::format_bytes(c.l3_bytes);
  }

  static std::string label(const Node& n) {
    std::string text = "node " + std::to_string(n.id);
    return n.id == n.os_index ? text : text + " (OS " + std::to_string(n.os_index) + ")";
  }

  [[nodiscard]] std::string memory(const Node& n) const {
    const std::string name = n.kind == "GPU" ? "GPU memory" : n.kind;
    const std::string kind = name.empty() || name == "DRAM" ? "" : " of " + name;
    return n.bytes == 0 ? (kind.empty() ? "" : dot_ + name) : dot_ + base::format_bytes(n.bytes) + kind;
  }

  /// The machine does not keep whose cpus the forbidden ones are.
  [[nodiscard]] std::string without_cpus() const {
    return m_.forbidden_cpus.empty() ? "memory only" : "no usable cpus";
  }

  /// \param align columns that the squares take, so that unequal chiplets stand below each other.
  Lines one(const Chiplet& c, std::size_t align, std::size_t width) const {
    const std::string name = "chiplet " + std::to_string(c.id) + "  ";
    std::string text = squares(c);
    if (!text.empty()) text = base::padded(text, align) + "  ";
    const std::string facts = cores_of(m_, c) + dot_ + cache(c);
    const std::string cpus = "cpus " + format_cpus(cpus_of(m_, c));
    const std::string single = name + text + facts + dot_ + cpus;
    if (base::display_width(single) <= width) return {single};
    Lines out = {name + facts};
    if (base::display_width(name) + base::display_width(text) + base::display_width(facts) <= width)
      out = {name + text + facts};
    for (const std::string& line : wrapped(cpus, width - name.size()))
      out.push_back(std::string(name.size(), ' ') + line);
    return out;
  }

  /// Equal chiplets: what they have in common once, then a cell for each, read down the columns.
  Lines many(const ChipletSet& ids, std::size_t width) const {
    const Chiplet& first = chiplet(ids.front());
    Lines out = {"chiplets " + std::to_string(ids.front()) + "-" + std::to_string(ids.back()) + "  each " +
                 cores_of(m_, first) + dot_ + cache(first)};
    const std::size_t digits = std::to_string(ids.back()).size();
    Lines cells;
    std::size_t widest = 0;
    for (int id : ids) {
      std::string number = std::to_string(id);
      std::string cell = "  " + std::string(digits - number.size(), ' ') + number + " " + squares(chiplet(id)) +
                         " cpus " + format_cpus(cpus_of(m_, chiplet(id)));
      widest = std::max(widest, base::display_width(cell));
      cells.push_back(std::move(cell));
    }
    const std::size_t across = std::max<std::size_t>(1, (width + 1) / (widest + 1));
    const std::size_t rows = (cells.size() + across - 1) / across;
    for (std::size_t row = 0; row < rows; ++row) {
      std::string line;
      for (std::size_t i = row; i < cells.size(); i += rows) {
        line = base::padded(line, (i / rows) * (widest + 1));
        line += cells[i];
      }
      if (base::display_width(line) <= width) {
        out.push_back(line);
      } else {
        for (const std::string& piece : wrapped(line, width)) out.push_back(piece);
      }
    }
    return out;
  }

  Lines chiplets(const ChipletSet& ids, std::size_t width) const {
    Lines out;
    std::size_t align = 0;
    for (int id : ids) align = std::max(align, chiplet(id).cores.size() > 16 ? 0 : chiplet(id).cores.size());
    for (std::size_t i = 0; i < ids.size();) {
      std::size_t end = i + 1;
      while (end < ids.size() && alike(m_, chiplet(ids[i]), chiplet(ids[end]))) ++end;
      const bool grid = end - i >= 3;
      for (const std::string& line :
           grid ? many({ids.begin() + static_cast<std::ptrdiff_t>(i), ids.begin() + static_cast<std::ptrdiff_t>(end)},
                       width)
                : one(chiplet(ids[i]), align, width)) {
        out.push_back(line);
      }
      i = grid ? end : i + 1;
    }
    return out;
  }

  Lines boxless(const Node& n) const {
    std::string text = label(n) + memory(n);
    if (n.cpus.empty()) return wrapped(text + dot_ + without_cpus(), style_.width);
    return wrapped(text + dot_ + "near to cpus " + format_cpus(n.cpus), style_.width);
  }

  [[nodiscard]] ChipletSet chiplets_of(const Socket& socket, int node_id) const {
    ChipletSet ids;
    for (int id : socket.chiplets) {
      if (chiplet(id).node == node_id) ids.insert(id);
    }
    return ids;
  }

  Lines socket_box(const Socket& socket) const {
    const std::size_t width = style_.width;
    Lines inside;
    std::string title = "socket " + std::to_string(socket.id);
    // Chiplets whose node reaches beyond this socket; the node itself stands below the sockets.
    ChipletSet loose;
    for (int id : socket.chiplets) {
      if (node(chiplet(id).node).socket != socket.id) loose.insert(id);
    }
    append(inside, chiplets(loose, width - 4));
    const bool merged = socket.nodes.size() == 1 && loose.empty();
    for (int id : socket.nodes) {
      const Node& n = node(id);
      const auto ids = chiplets_of(socket, id);
      if (merged) {
        title += dot_ + label(n) + memory(n);
        append(inside, ids.empty() ? Lines{without_cpus()} : chiplets(ids, width - 4));
      } else if (ids.empty()) {
        append(inside, {label(n) + memory(n) + dot_ + without_cpus()});
      } else {
        append(inside, boxed(label(n) + memory(n), chiplets(ids, width - 8), width - 4, g_));
      }
    }
    return boxed(title, inside, width, g_);
  }

  static void append(Lines& to, const Lines& from) { to.insert(to.end(), from.begin(), from.end()); }

  void distances() {
    const std::size_t n = m_.node_distance.size();
    if (n < 2) return;
    lines_.emplace_back();
    if (n * 5 + 10 > style_.width) {
      double least = 0;
      double most = 0;
      for (std::size_t a = 0; a < n; ++a) {
        for (std::size_t b = 0; b < n; ++b) {
          if (a == b) continue;
          const double d = m_.node_distance[a][b];
          least = least == 0 ? d : std::min(least, d);
          most = std::max(most, d);
        }
      }
      paragraph(
          "", "node distances (10 is local): " + rounded(least) + " to " + rounded(most) + " between different nodes");
      return;
    }
    std::string line = "node distance";
    for (std::size_t b = 0; b < n; ++b) line += right(std::to_string(b), b == 0 ? 3 : 5);
    if (base::display_width(line) <= style_.width) lines_.push_back(line);
    for (std::size_t a = 0; a < n; ++a) {
      line = right(std::to_string(a), 11);
      for (std::size_t b = 0; b < n; ++b) line += right(rounded(m_.node_distance[a][b]), 5);
      lines_.push_back(line);
    }
  }

  static std::string rounded(double value) {
    char text[32];
    std::snprintf(text, sizeof text, "%.0f", value);
    return text;
  }

  static std::string right(const std::string& text, std::size_t width) {
    return std::string(width > text.size() ? width - text.size() : 1, ' ') + text;
  }

  void restrictions() {
    if (m_.forbidden_cpus.empty() && m_.cpu_quota == 0) return;
    lines_.emplace_back();
    if (!m_.forbidden_cpus.empty()) {
      paragraph("not usable: ", base::counted(m_.forbidden_cpus.size(), "cpu") + " of " +
                                    std::to_string(m_.total.cpus) + dot_ + "cpus " + format_cpus(m_.forbidden_cpus));
    }
    if (m_.cpu_quota > 0) {
      char text[64];
      std::snprintf(text, sizeof text, "%.2f cpus' worth of time", m_.cpu_quota);
      paragraph("quota: ", text);
    }
  }

  const Machine& m_;
  DrawStyle style_;
  const Glyphs& g_;
  std::string dot_;
  Lines lines_;
};

}  // namespace

std::string draw(const Machine& machine, const DrawStyle& style) { return Drawing(machine, style).text(); }

}  // namespace charm::machine_view
