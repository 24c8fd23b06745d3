// What the user asks for by the variables CHARM_MALLOC and CHARM_MALLOC_* (docs/malloc.md).
#pragma once

#include <cstddef>

namespace charm::shim {

/// Nothing in it points into the environment, which a program may overwrite (setproctitle). Paths are absolute, because
/// a program may change its folder.
struct Variables {
  bool off = false;
  std::size_t normal_limit = std::size_t{4} << 20U;
  const char* weights = nullptr;  ///< the file of weights; nullptr: the usual ones
  bool spreads_static = false;
  const char* statistics = nullptr;  ///< where they go: an absolute path, else standard error; nullptr: nowhere
};

/// Says a line on standard error for each variable that is not usable or not known, and takes the default instead.
Variables read_variables() noexcept;

}  // namespace charm::shim
