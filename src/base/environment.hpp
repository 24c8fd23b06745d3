// Environment variables, as every module of the library reads them.
//
// A program that runs with more rights than its caller (set-user-ID, set-group-ID, file capabilities) must not obey the
// caller's environment: by CHARM_TRACE, CHARM_SHARE or CHARM_CONFIG the caller could write and print files that only
// the program may touch. In such a program every variable counts as unset.
#pragma once

#include <cstdlib>

namespace charm::base {

/// The value, or nullptr where the variable is not set or must not be obeyed.
inline const char* environment(const char* name) noexcept { return secure_getenv(name); }

}  // namespace charm::base
