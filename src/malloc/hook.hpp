// "Hooks call nobody" (arenas.hpp), asserted in builds with assertions: within a hook nobody allocates.
#pragma once

#include <cassert>

namespace charm::shim {

#ifdef NDEBUG
class Hook {
 public:
  Hook() noexcept {}  // NOLINT(modernize-use-equals-default): a trivial one would be an unused variable
};
inline void expect_no_hook() noexcept {}
#else
inline constinit thread_local bool in_hook = false;

class Hook {
 public:
  Hook() noexcept {
    assert(!in_hook);
    in_hook = true;
  }
  ~Hook() { in_hook = false; }
  Hook(const Hook&) = delete;
  Hook& operator=(const Hook&) = delete;
};

/// Where memory is allocated.
inline void expect_no_hook() noexcept { assert(!in_hook); }
#endif

}  // namespace charm::shim
