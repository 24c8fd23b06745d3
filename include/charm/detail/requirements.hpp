// What CHARM's headers ask of the compiler. Every header includes this one before anything else. Where something is
// missing, the compilation ends here with the reason, and not with hundreds of errors that follow from it.
#pragma once

#if __cplusplus < 202002L
#error "CHARM needs C++20: compile with -std=c++20 or newer"
#include <cannot_go_on_see_the_error_above>
#elif !defined(__cpp_exceptions)
#error "CHARM needs exceptions: compile without -fno-exceptions"
#include <cannot_go_on_see_the_error_above>
#endif

#include <version>

// The standard library has other layouts under some options, and a program must have the same as the libcharm that it
// links. CHARM_SAME_BUILD is a part of the symbol of init(): where they differ, the linker says what to do.
#if defined(_LIBCPP_VERSION)
#define CHARM_SAME_BUILD [[gnu::abi_tag("build_libcharm_with_libcxx_too")]]
#elif defined(_GLIBCXX_DEBUG)
#define CHARM_SAME_BUILD [[gnu::abi_tag("build_libcharm_with_GLIBCXX_DEBUG_too")]]
#elif defined(_GLIBCXX_USE_CXX11_ABI) && _GLIBCXX_USE_CXX11_ABI == 0
#define CHARM_SAME_BUILD [[gnu::abi_tag("build_libcharm_with_GLIBCXX_USE_CXX11_ABI_0_too")]]
#else
#define CHARM_SAME_BUILD
#endif
