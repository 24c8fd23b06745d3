#include "tools/machine_view/text.hpp"

#include <algorithm>

#include "base/format.hpp"

namespace charm::machine_view {

std::string format_cpus(const CpuSet& cpus) {
  std::string text;
  for (std::size_t i = 0; i < cpus.size();) {
    std::size_t last = i;
    const int step = i + 1 < cpus.size() ? cpus[i + 1] - cpus[i] : 1;
    while (last + 1 < cpus.size() && cpus[last + 1] - cpus[last] == step) ++last;
    if (step > 1 && last - i < 3) last = i;  // "0,8" is shorter than a stride
    if (!text.empty()) text += ',';
    text += std::to_string(cpus[i]);
    if (last > i && step > 1) text.append(1, ',').append(std::to_string(cpus[i + 1])).append(1, '.');
    if (last > i) text.append(1, step == 1 ? '-' : '.').append(std::to_string(cpus[last]));
    i = last + 1;
  }
  return text;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines(1);
  std::size_t begin = 0;
  while (begin < text.size()) {
    std::size_t end = text.find_first_of(" ,", begin);
    std::string_view piece = text.substr(begin, end == std::string_view::npos ? end : end - begin + 1);
    begin += piece.size();
    std::string_view shown = piece.back() == ' ' ? piece.substr(0, piece.size() - 1) : piece;
    if (!lines.back().empty() && base::display_width(lines.back()) + base::display_width(shown) > width)
      lines.emplace_back();
    lines.back() += piece;
  }
  for (std::string& line : lines) {
    while (!line.empty() && line.back() == ' ') line.pop_back();
  }
  return lines;
}

const Glyphs& glyphs(bool ascii) {
  static constexpr Glyphs plain{"#", " - ", "-", "|", "+", "+", "+", "+"};
  static constexpr Glyphs lines{"■", " · ", "─", "│", "┌", "┐", "└", "┘"};
  return ascii ? plain : lines;
}

std::vector<std::string> boxed(const std::string& title, const std::vector<std::string>& lines, std::size_t width,
                               const Glyphs& g) {
  auto edge = [&](std::string text, std::string_view right) {
    for (std::size_t n = base::display_width(text); n + 1 < width; ++n) text += g.horizontal;
    return text + std::string(right);
  };
  std::vector<std::string> out;
  out.push_back(edge(std::string(g.top_left) + std::string(g.horizontal) + " " + title + " ", g.top_right));
  for (const std::string& line : lines) {
    out.push_back(std::string(g.vertical) + " " + base::padded(line, width - 4) + " " + std::string(g.vertical));
  }
  out.push_back(edge(std::string(g.bottom_left), g.bottom_right));
  return out;
}

namespace {

std::pair<std::size_t, std::size_t> threads(const Machine& machine, const Chiplet& chiplet) {
  std::size_t least = ~std::size_t{0};
  std::size_t most = 0;
  for (int id : chiplet.cores) {
    const std::size_t n = machine.cores[static_cast<std::size_t>(id)].siblings.size();
    least = std::min(least, n);
    most = std::max(most, n);
  }
  return {least, most};
}

}  // namespace

bool alike(const Machine& machine, const Chiplet& a, const Chiplet& b) {
  return a.cores.size() == b.cores.size() && a.l3_bytes == b.l3_bytes && threads(machine, a) == threads(machine, b);
}

std::string cores_of(const Machine& machine, const Chiplet& chiplet) {
  const auto [least, most] = threads(machine, chiplet);
  std::string text = base::counted(chiplet.cores.size(), "core");
  if (most == 1) return text;
  return text + " x " + (least == most ? "" : std::to_string(least) + "-") + std::to_string(most) + " threads";
}

CpuSet cpus_of(const Machine& machine, const Chiplet& chiplet) {
  CpuSet cpus;
  for (int id : chiplet.cores) cpus |= machine.cores[static_cast<std::size_t>(id)].siblings;
  return cpus;
}

}  // namespace charm::machine_view
