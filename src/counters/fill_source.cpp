#include "counters/fill_source.hpp"

namespace charm::counters {

std::optional<FillSource> fill_source_named(std::string_view text) noexcept {
  for (const FillSource source : all_fill_sources) {
    if (name(source) == text) return source;
  }
  return std::nullopt;
}

std::string to_text(FillSet set) {
  std::string text;
  for (const FillSource source : all_fill_sources) {
    if (!set.has(source)) continue;
    if (!text.empty()) text += " + ";
    text += name(source);
  }
  return text.empty() ? "nothing" : text;
}

FillSet told_apart(const std::vector<FillClass>& classes) {
  FillSet set;
  for (const FillClass& one : classes) {
    if (one.covers == FillSet{one.reported_as}) set.add(one.reported_as);
  }
  return set;
}

FillSet counted(const std::vector<FillClass>& classes) {
  FillSet set;
  for (const FillClass& one : classes) set.add(one.covers);
  return set;
}

}  // namespace charm::counters
