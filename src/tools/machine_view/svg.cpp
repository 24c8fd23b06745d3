#include "tools/machine_view/svg.hpp"

#include <algorithm>
#include <map>

#include "base/format.hpp"
#include "tools/html/element.hpp"
#include "tools/machine_view/text.hpp"

namespace charm::machine_view {
namespace {

using html::element;
using html::text_element;

constexpr int page = 960;
constexpr int square = 22;
constexpr int gap = 4;
constexpr int pad = 10;
constexpr int head = 20;

constexpr const char* style = R"css(
.charm-machine text { font: 12px system-ui, sans-serif; fill: #222; }
.charm-machine .charm-h { font-size: 15px; font-weight: 600; }
.charm-machine .charm-w, .charm-machine .charm-c { font-size: 10px; text-anchor: middle; }
.charm-machine .charm-w { fill: #fff; }
.charm-machine .charm-c { fill: #3d4a5c; }
.charm-paper { fill: #fff; }
.charm-socket { fill: #f4f5f7; stroke: #8a919c; }
.charm-node { fill: #e8ecf3; stroke: #a6aebb; }
.charm-chiplet { fill: #fff; stroke: #6b7a90; }
.charm-core { fill: #c9d3e0; }
.charm-busy { fill: #1f6feb; }
.charm-shared { fill: #b42318; }
@media (prefers-color-scheme: dark) {
  .charm-machine text { fill: #e6e9ed; }
  .charm-machine .charm-c { fill: #b9c4d2; }
  .charm-paper { fill: #14171b; }
  .charm-socket { fill: #1c2026; stroke: #5b6470; }
  .charm-node { fill: #242a33; stroke: #4a5462; }
  .charm-chiplet { fill: #14171b; stroke: #76859a; }
  .charm-core { fill: #3a4656; }
}
)css";

constexpr const char* cpus_alone = "A square is a core; its number is that of the core's first cpu.";
constexpr const char* cpus_and_workers =
    "A square is a core with its first cpu's number; a coloured one has the number of its worker, a red "
    "one that of the first of several.";

struct Size {
  int width = 0;
  int height = 0;
};

class Picture {
 public:
  Picture(const Machine& machine, std::span<const WorkerCore> worker_cores, std::span<const std::string> remarks)
      : m_(machine), remarks_(remarks) {
    for (std::size_t w = 0; w < worker_cores.size(); ++w) {
      if (worker_cores[w].core >= 0) workers_[worker_cores[w].core].push_back(w);
    }
  }

  std::string text() {
    int y = 2 * head;
    if (!m_.nodes.empty()) {
      for (const Socket& socket : m_.sockets) y = draw_socket(socket, y) + pad;
    }
    for (const Node& node : m_.nodes) {
      if (node.socket >= 0) continue;
      label(pad, y + 12, "charm-t",
            node_label(node) + (node.cpus.empty() ? ", no usable cpus" : ", near to several sockets"));
      y += head;
    }
    for (const std::string& remark : remarks_) {
      for (const std::string& line : wrapped(remark, page / 7)) {
        label(pad, y + 12, "charm-t", line);
        y += head;
      }
    }
    label(pad, y + 12, "charm-t", workers_.empty() ? cpus_alone : cpus_and_workers);
    y += head;
    const std::string title = m_.name.empty() ? m_.origin : m_.name;
    return html::svg_file(html::svg_picture(
        page, y, "charm-machine", title,
        element("style", {}, style) + "\n" +
            element("rect", {{"class", "charm-paper"}, {"width", "100%"}, {"height", "100%"}}) + "\n" +
            text_element("text", {{"class", "charm-h"}, {"x", 10}, {"y", 22}}, title) + "\n" + body_));
  }

 private:
  [[nodiscard]] const Chiplet& chiplet(int id) const { return m_.chiplets[static_cast<std::size_t>(id)]; }

  static std::string node_label(const Node& n) {
    return "node " + std::to_string(n.id) + (n.bytes == 0 ? "" : ", " + base::format_bytes(n.bytes)) +
           (n.kind.empty() || n.kind == "DRAM" ? "" : " of " + n.kind);
  }

  static std::string chiplet_label(const Chiplet& c) {
    return std::to_string(c.id) +
           (c.l3_bytes == 0 ? "" : ": L" + std::to_string(c.cache_level) + " " + base::format_bytes(c.l3_bytes));
  }

  /// Cores in rows of at most eight, of more where a chiplet is large, so that none gets taller than wide.
  static int across(const Chiplet& c) {
    int columns = 1;
    while (columns * columns < static_cast<int>(c.cores.size()) * 2) ++columns;
    return std::min<int>(std::clamp(columns, 4, 32), std::max<int>(1, static_cast<int>(c.cores.size())));
  }

  static Size size_of(const Chiplet& c) {
    const int columns = across(c);
    const int rows = (static_cast<int>(c.cores.size()) + columns - 1) / columns;
    const int label_width = 6 * static_cast<int>(chiplet_label(c).size()) + 16;
    return {std::max(columns * (square + gap) + gap, label_width) + gap, head + rows * (square + gap) + gap};
  }

  void rect(const char* what, int x, int y, Size s) {
    body_ +=
        element("rect", {{"class", what}, {"x", x}, {"y", y}, {"width", s.width}, {"height", s.height}, {"rx", 3}}) +
        "\n";
  }

  void label(int x, int y, const char* what, const std::string& text) {
    body_ += text_element("text", {{"class", what}, {"x", x}, {"y", y}}, text) + "\n";
  }

  void draw_core(const Core& core, int x, int y) {
    auto placed = workers_.find(core.id);
    std::string tip = "core " + std::to_string(core.id) + ", cpus " + format_cpus(core.siblings);
    const char* kind = "charm-core";
    if (placed != workers_.end()) {
      kind = placed->second.size() > 1 ? "charm-shared" : "charm-busy";
      tip += placed->second.size() > 1 ? ", workers" : ", worker";
      for (std::size_t w : placed->second) tip += ' ' + std::to_string(w);
    }
    body_ += "<g>" + text_element("title", {}, tip);
    rect(kind, x, y, {square, square});
    if (placed != workers_.end()) {
      label(x + square / 2, y + 15, "charm-w", std::to_string(placed->second.front()));
    } else {
      label(x + square / 2, y + 15, "charm-c", std::to_string(core.siblings.front()));
    }
    body_ += "</g>\n";
  }

  void draw_chiplet(const Chiplet& c, int x, int y) {
    rect("charm-chiplet", x, y, size_of(c));
    label(x + 6, y + 14, "charm-t", chiplet_label(c));
    const int columns = across(c);
    for (std::size_t i = 0; i < c.cores.size(); ++i) {
      const int at = static_cast<int>(i);
      draw_core(m_.cores[static_cast<std::size_t>(c.cores[i])], x + gap + 2 + at % columns * (square + gap),
                y + head + at / columns * (square + gap));
    }
  }

  /// Chiplets in rows of equal number, as many to a row as `width` holds.
  [[nodiscard]] std::size_t per_row(const ChipletSet& ids, int width) const {
    int widest = 1;
    for (int id : ids) widest = std::max(widest, size_of(chiplet(id)).width);
    const auto fit = static_cast<std::size_t>(std::max(1, (width + 2 * gap) / (widest + 2 * gap)));
    const std::size_t rows = std::max<std::size_t>(1, (ids.size() + fit - 1) / fit);
    return std::max<std::size_t>(1, (ids.size() + rows - 1) / rows);
  }

  /// Lays the chiplets out within `width` from (x, y), and draws them if asked to. \return the size that they take.
  Size flow(const ChipletSet& ids, int x, int y, int width, bool draw) {
    const std::size_t row = per_row(ids, width);
    Size all;
    Size line;
    for (std::size_t i = 0; i < ids.size(); ++i) {
      if (i % row == 0) {
        all.height += line.height + (i == 0 ? 0 : 2 * gap);
        line = {};
      }
      if (line.width > 0) line.width += 2 * gap;
      if (draw) draw_chiplet(chiplet(ids[i]), x + line.width, y + all.height);
      const Size s = size_of(chiplet(ids[i]));
      line.width += s.width;
      line.height = std::max(line.height, s.height);
      all.width = std::max(all.width, line.width);
    }
    all.height += line.height;
    return all;
  }

  /// The node's frame with its upper left corner at (x, y).
  Size draw_node(const Socket& socket, const Node& node, int x, int y, int width, bool draw) {
    ChipletSet ids;
    for (int id : socket.chiplets) {
      if (chiplet(id).node == node.id) ids.insert(id);
    }
    const std::string text = node_label(node) + (ids.empty() ? ", no usable cpus" : "");
    const Size inside = flow(ids, x + pad, y + head, width - 2 * pad, false);
    const Size frame = {std::max(inside.width, 7 * static_cast<int>(text.size())) + 2 * pad,
                        head + inside.height + gap};
    if (!draw) return frame;
    rect("charm-node", x, y, frame);
    label(x + pad, y + 14, "charm-t", text);
    flow(ids, x + pad, y + head, width - 2 * pad, true);
    return frame;
  }

  int draw_socket(const Socket& socket, int y) {
    const std::size_t frame = body_.size();
    label(2 * pad, y + 15, "charm-t", "socket " + std::to_string(socket.id));
    int bottom = y + head;
    ChipletSet loose;
    for (int id : socket.chiplets) {
      if (m_.nodes[static_cast<std::size_t>(chiplet(id).node)].socket != socket.id) loose.insert(id);
    }
    if (!loose.empty()) bottom += flow(loose, 2 * pad, bottom, page - 4 * pad, true).height + gap;
    int x = 2 * pad;
    int tallest = 0;
    for (int id : socket.nodes) {
      const Node& node = m_.nodes[static_cast<std::size_t>(id)];
      const int width = page - 4 * pad;
      const Size size = draw_node(socket, node, x, bottom, width, false);
      if (x > 2 * pad && x + size.width > page - 2 * pad) {
        x = 2 * pad;
        bottom += tallest + gap;
        tallest = 0;
      }
      draw_node(socket, node, x, bottom, width, true);
      x += size.width + pad;
      tallest = std::max(tallest, size.height);
    }
    bottom += tallest + gap;
    insert_rect(frame, "charm-socket", pad, y, {page - 2 * pad, bottom - y + gap});
    return bottom + gap;
  }

  /// A frame's height is known once its inside is drawn, and yet it must be painted first.
  void insert_rect(std::size_t at, const char* what, int x, int y, Size s) {
    std::string inside = body_.substr(at);
    body_.resize(at);
    rect(what, x, y, s);
    body_ += inside;
  }

  const Machine& m_;
  std::span<const std::string> remarks_;
  std::map<int, std::vector<std::size_t>> workers_;  // by core
  std::string body_;
};

}  // namespace

std::string svg(const Machine& machine, std::span<const WorkerCore> worker_cores,
                std::span<const std::string> remarks) {
  return Picture(machine, worker_cores, remarks).text();
}

}  // namespace charm::machine_view
