#include "controller/width_levels.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <tuple>

namespace charm::controller {
namespace {

void add(std::vector<WidthLevel>& levels, const Setup& setup, double workers, WidthShape shape) {
  WidthLevel level{static_cast<int>(std::lround(workers)), shape};
  if (setup.chiplet_of.empty() || setup.chiplets < 2 || level.workers == 1) level.shape = WidthShape::thin;
  if (level.workers < 1 || level.workers >= setup.workers) return;
  if (std::find(levels.begin(), levels.end(), level) == levels.end()) levels.push_back(level);
}

}  // namespace

std::vector<char> resting_at(const Setup& setup, const WidthLevel& level, int spread) {
  const auto workers = static_cast<std::size_t>(setup.workers);
  std::vector<char> rests(workers, 0);
  if (level.workers >= setup.workers) return rests;
  const auto at = std::find(setup.levels.begin(), setup.levels.end(), spread);
  const auto index = static_cast<std::size_t>(at - setup.levels.begin());
  const std::vector<int> alone(workers, 0);
  const std::vector<int>& chiplet_of = index < setup.chiplet_of.size() ? setup.chiplet_of[index] : alone;
  const std::vector<int>& turn_of = index < setup.turn_of.size() ? setup.turn_of[index] : alone;
  // By chiplet in the order of their first workers, so that worker 0 and its chiplet come first.
  std::map<int, int> order, members;
  std::vector<std::tuple<int, int, int, std::size_t>> ranked;
  for (std::size_t worker = 0; worker < workers; ++worker) {
    const int chiplet = chiplet_of[worker];
    const int place = order.try_emplace(chiplet, static_cast<int>(order.size())).first->second;
    const int within = members[chiplet]++;
    if (level.shape == WidthShape::thin) {
      ranked.emplace_back(turn_of[worker], within, place, worker);
    } else {
      ranked.emplace_back(place, turn_of[worker], within, worker);
    }
  }
  std::sort(ranked.begin(), ranked.end());
  for (std::size_t rank = static_cast<std::size_t>(level.workers); rank < workers; ++rank)
    rests[std::get<3>(ranked[rank])] = 1;
  return rests;
}

std::vector<WidthLevel> from_full(const Setup& setup) {
  std::vector<WidthLevel> levels;
  if (!setup.turn_of.empty()) {
    const auto& turn_of = setup.turn_of.front();
    add(levels, setup, static_cast<double>(std::count(turn_of.begin(), turn_of.end(), 0)), WidthShape::thin);
  }
  for (const double part : {2.0, 4.0}) {
    for (const WidthShape shape : {WidthShape::thin, WidthShape::packed})
      add(levels, setup, std::ceil(setup.workers / part), shape);
  }
  add(levels, setup, setup.cores_per_chiplet, WidthShape::packed);
  add(levels, setup, std::ceil(setup.workers / 8.0), WidthShape::thin);
  // Where the speed falls off slowly: fewer tasks than workers, memory that is a little too slow.
  for (const WidthShape shape : {WidthShape::thin, WidthShape::packed}) add(levels, setup, setup.workers * 0.71, shape);
  add(levels, setup, 1, WidthShape::thin);
  return levels;
}

std::vector<WidthLevel> from_gain(const Setup& setup, const WidthLevel& best) {
  std::vector<WidthLevel> levels;
  const WidthShape other = best.shape == WidthShape::thin ? WidthShape::packed : WidthShape::thin;
  add(levels, setup, best.workers / 2.0, best.shape);
  add(levels, setup, best.workers, other);
  add(levels, setup, best.workers * 2.0, other);
  add(levels, setup, best.workers / 4.0, best.shape);
  add(levels, setup, 1, WidthShape::thin);
  for (const double factor : {0.71, 1.41, 0.84, 1.19}) add(levels, setup, best.workers * factor, best.shape);
  std::erase(levels, best);
  return levels;
}

}  // namespace charm::controller
