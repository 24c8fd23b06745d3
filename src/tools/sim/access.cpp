#include "tools/sim/access.hpp"

#include <algorithm>
#include <cmath>

namespace charm::sim {
namespace {

// Tasks take neighbouring lines together: what wanders does so in parts of this many lines.
constexpr std::uint32_t part_lines = 16;

/// Members start spread evenly over the data, in an order that is even for any number of them.
std::uint32_t start_of(std::uint32_t member, std::uint32_t lines) {
  const std::uint64_t turn = static_cast<std::uint64_t>(member) * 0x9E3779B97F4A7C15ULL;
  return static_cast<std::uint32_t>(((turn >> 32) * static_cast<std::uint64_t>(lines)) >> 32);
}

}  // namespace

LineDraw::LineDraw(const Popularity& popularity, std::uint32_t lines) : entries_(popularity.classes.size()) {
  const std::size_t count = entries_.size();
  std::uint32_t first = 0;
  double all = 0;
  for (const auto& c : popularity.classes) all += c.accesses;
  std::vector<double> left;  // of each class, in entries
  for (std::size_t i = 0; i < count; ++i) {
    const auto& c = popularity.classes[i];
    const auto wanted = static_cast<std::uint32_t>(std::max(1.0, c.lines * lines));
    // Classes of less than a line are given one; the last ones then overlap, where a line more or less is nothing.
    first = std::min(first, lines - std::min(lines, wanted));
    entries_[i].kept = {first, std::min(wanted, lines)};
    first += wanted;
    left.push_back(c.accesses / all * static_cast<double>(count));
  }
  std::vector<std::size_t> poor, rich;
  for (std::size_t i = 0; i < count; ++i) (left[i] < 1 ? poor : rich).push_back(i);
  constexpr double whole = 4294967296.0;
  while (!poor.empty() && !rich.empty()) {
    const std::size_t i = poor.back(), giver = rich.back();
    poor.pop_back();
    entries_[i].share = static_cast<std::uint64_t>(left[i] * whole);
    entries_[i].alias = entries_[giver].kept;
    left[giver] -= 1 - left[i];
    if (left[giver] < 1) {
      rich.pop_back();
      poor.push_back(giver);
    }
  }
  for (const auto& rest : {poor, rich}) {
    for (const std::size_t i : rest) entries_[i].share = static_cast<std::uint64_t>(whole);
  }
}

Accesses::Accesses(const Component& component, const Place& place, std::shared_ptr<const LineDraw> draw)
    : kind_(component.reach == Component::Reach::pair     ? Kind::mailbox
            : component.order == Component::Order::random ? Kind::random
            : place.wanders                               ? Kind::wandering_sweep
                                                          : Kind::sweep),
      place_(place),
      random_(place.seed),
      draw_(std::move(draw)),
      write_below_(static_cast<std::uint64_t>(std::llround(std::clamp(component.writes, 0.0, 1.0) * 4294967296.0))),
      mailbox_(std::max<std::uint32_t>(1, place.lines / place.members)) {
  if (component.reach == Component::Reach::shared) at_ = start_of(place.member, place.lines);
  if (!draw_ && kind_ == Kind::random) draw_ = std::make_shared<const LineDraw>(component.popularity, place.lines);
}

template <Accesses::Kind kind>
Access Accesses::draw() {
  if constexpr (kind == Kind::mailbox) return mailbox();
  std::uint32_t line = 0;
  if constexpr (kind == Kind::sweep) line = sweep();
  if constexpr (kind == Kind::wandering_sweep) line = wandering_sweep();
  if constexpr (kind == Kind::random) line = (*draw_)(random_);
  return {place_.first_line + line, write_below_ != 0 && (random_.next() >> 32) < write_below_};
}

Access Accesses::next() {
  switch (kind_) {
    case Kind::sweep:
      return draw<Kind::sweep>();
    case Kind::wandering_sweep:
      return draw<Kind::wandering_sweep>();
    case Kind::random:
      return draw<Kind::random>();
    case Kind::mailbox:
      break;
  }
  return draw<Kind::mailbox>();
}

std::uint32_t Accesses::sweep() {
  const std::uint32_t line = at_;
  if (++at_ == place_.lines) at_ = 0;
  return line;
}

/// Each pass deals the parts out anew, in rounds of one for each member, so that all keep pace.
std::uint32_t Accesses::wandering_sweep() {
  while (from_ == until_) {
    const std::uint32_t round = at_++, first = round * place_.members;
    if (first * part_lines >= place_.lines) {
      at_ = 0;
      ++pass_;
      continue;
    }
    const std::uint64_t draw =
        base::mixed(pass_ * 0x10001 + static_cast<std::uint64_t>(place_.first_line) * 31 + round);
    const std::uint32_t turn = (place_.member + static_cast<std::uint32_t>(draw >> 33)) % place_.members;
    from_ = std::min(place_.lines, (first + turn) * part_lines);
    until_ = std::min(place_.lines, from_ + part_lines);
  }
  return from_++;
}

/// Writes the own mailbox and reads the partner's in turn, half a round behind its writing.
Access Accesses::mailbox() {
  reading_ = !reading_;
  if (reading_) return {place_.first_line + place_.member * mailbox_ + at_, true};
  const std::uint32_t partner = place_.members > 1 ? 1 - place_.member : 0;
  const std::uint32_t half = mailbox_ / 2, behind = at_ >= half ? at_ - half : at_ + mailbox_ - half;
  if (++at_ == mailbox_) at_ = 0;
  return {place_.first_line + partner * mailbox_ + behind, false};
}

}  // namespace charm::sim
