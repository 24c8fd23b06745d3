// CHARM_ASSERT(condition, "what it means"): an invariant on which the code relies. Builds with CHARM_ASSERTIONS (debug
// and sanitizers, see cmake/CharmModules.cmake) check it and end the program where it does not hold. Other builds
// compile the condition and evaluate nothing, so a condition must have no effect.
#pragma once

#include <charm/detail/requirements.hpp>

namespace charm::detail {

/// Prints what does not hold, and aborts.
[[noreturn, gnu::cold]] void assertion_failed(const char* file, int line, const char* condition,
                                              const char* meaning) noexcept;

}  // namespace charm::detail

#ifdef CHARM_ASSERTIONS
#define CHARM_ASSERT(condition, meaning) \
  ((condition) ? static_cast<void>(0) : ::charm::detail::assertion_failed(__FILE__, __LINE__, #condition, "" meaning))
#else
#define CHARM_ASSERT(condition, meaning) static_cast<void>(sizeof(!(condition)))
#endif
