// Ids here are ints, with -1 for none; vectors want unsigned ones.
#pragma once

#include <cstddef>

namespace charm::memory_traffic {

constexpr std::size_t at(int id) { return static_cast<std::size_t>(id); }

}  // namespace charm::memory_traffic
