#include "sim/access.hpp"

#include <algorithm>

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

Accesses::Accesses(const Component& component, const Place& place)
    : component_(&component), place_(place), random_(place.seed) {
  if (component.reach == Component::Reach::shared) at_ = start_of(place.member, place.lines);
  std::uint32_t first = 0;
  double up_to = 0;
  for (const auto& c : component.popularity.classes) {
    const auto lines = static_cast<std::uint32_t>(std::max(1.0, c.lines * place.lines));
    up_to += c.accesses;
    // Classes of less than a line are given one; the last ones then overlap, where a line more or less is nothing.
    first = std::min(first, place.lines - std::min(place.lines, lines));
    classes_.push_back({first, std::min(lines, place.lines), up_to});
    first += lines;
  }
  classes_.back().up_to = 2;
}

Access Accesses::next() {
  if (component_->reach == Component::Reach::pair) return mailbox();
  std::uint32_t line = 0;
  if (component_->order == Component::Order::random) {
    line = random_line();
  } else {
    line = place_.wanders ? wandering_sweep() : sweep();
  }
  const double writes = component_->writes;
  return {place_.first_line + line, writes > 0 && (writes >= 1 || random_.unit() < writes)};
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
    const std::uint64_t draw = mixed(pass_ * 0x10001 + static_cast<std::uint64_t>(place_.first_line) * 31 + round);
    const std::uint32_t turn = (place_.member + static_cast<std::uint32_t>(draw >> 33)) % place_.members;
    from_ = std::min(place_.lines, (first + turn) * part_lines);
    until_ = std::min(place_.lines, from_ + part_lines);
  }
  return from_++;
}

std::uint32_t Accesses::random_line() {
  const std::uint64_t draw = random_.next();
  const Class* c = classes_.data();
  if (classes_.size() > 1) {
    const double share = static_cast<double>(draw >> 11) * 0x1p-53;
    c = &*std::upper_bound(classes_.begin(), classes_.end() - 1, share,
                           [](double value, const Class& entry) { return value < entry.up_to; });
  }
  return c->first + random_.below(c->lines);
}

/// Writes the own mailbox and reads the partner's in turn, half a round behind its writing.
Access Accesses::mailbox() {
  const std::uint32_t size = std::max<std::uint32_t>(1, place_.lines / place_.members);
  const std::uint32_t partner = place_.members > 1 ? 1 - place_.member : 0;
  reading_ = !reading_;
  if (reading_) return {place_.first_line + place_.member * size + at_, true};
  const std::uint32_t behind = (at_ + size - size / 2) % size;
  if (++at_ == size) at_ = 0;
  return {place_.first_line + partner * size + behind, false};
}

}  // namespace charm::sim
