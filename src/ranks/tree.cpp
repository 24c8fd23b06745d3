#include "ranks/tree.hpp"

#include <cstddef>
#include <map>

namespace charm::remote {

std::vector<TreePlace> tree_of_ranks(const std::vector<int>& host) {
  std::vector<TreePlace> places(host.size());
  std::vector<int> leaders;
  std::map<int, int> leader_of;  // host
  for (int rank = 0; rank < static_cast<int>(host.size()); ++rank) {
    const auto [at, fresh] = leader_of.try_emplace(host[static_cast<std::size_t>(rank)], rank);
    if (fresh)
      leaders.push_back(rank);
    else
      places[static_cast<std::size_t>(rank)].parent = at->second;
  }
  for (std::size_t i = 1; i < leaders.size(); ++i)
    places[static_cast<std::size_t>(leaders[i])].parent = leaders[i & (i - 1)];  // without its lowest bit
  // A child has a higher number than its parent.
  for (std::size_t rank = places.size(); rank-- > 0;) {
    TreePlace& place = places[rank];
    std::vector<int> whole = {static_cast<int>(rank)};
    for (const int child : place.children) {
      const auto& below = places[static_cast<std::size_t>(child)].below;
      whole.insert(whole.end(), below.begin(), below.end());
    }
    place.below = std::move(whole);
    if (place.parent >= 0) places[static_cast<std::size_t>(place.parent)].children.push_back(static_cast<int>(rank));
  }
  return places;
}

}  // namespace charm::remote
