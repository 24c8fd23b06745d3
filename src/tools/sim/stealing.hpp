// How workers steal under a simulated policy: not at all, or by one of the runtime's policies (src/stealing).
#pragma once

#include <string_view>

namespace charm::sim {

struct Stealing {
  std::string_view way = "bitmap";  // a name of stealing::policies(); empty: nobody steals
};
inline constexpr Stealing by_distance{"bitmap"}, by_chance{"random"}, no_stealing{""};

}  // namespace charm::sim
