// How a loop calls the program's function with indices whose type CHARM chose, and not the program.
#pragma once

#include <charm/detail/requirements.hpp>

namespace charm::detail {

// The function may take a narrower type, as `[](int row, int column)` for a range2d does. The program cannot convert
// before the call, so -Wconversion would only name a line of this header.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wconversion"
#pragma GCC diagnostic ignored "-Wsign-conversion"
template <class F, class... Arguments>
[[gnu::always_inline]] inline void call_body(F& function, Arguments&&... arguments) {
  function(static_cast<Arguments&&>(arguments)...);
}
#pragma GCC diagnostic pop

}  // namespace charm::detail
