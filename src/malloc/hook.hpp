// A1 of arenas.hpp, asserted in builds with assertions: within a hook nobody allocates.
#pragma once

#include <cassert>

namespace charm::shim {

#ifdef NDEBUG
class Hook {
 public:
  Hook() noexcept {}  // not trivial, so that an unused one is no warning
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
