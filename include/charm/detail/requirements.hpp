// What CHARM's headers ask of the compiler. Every header includes this one before anything else. Where something is
// missing, the compilation ends here with the reason, and not with hundreds of errors that follow from it.
#pragma once

#if __cplusplus < 202002L
#error "CHARM needs C++20: compile with -std=c++20 or newer"
#include <charm/cannot_go_on_see_the_error_above>
#elif !defined(__cpp_exceptions)
#error "CHARM needs exceptions: compile without -fno-exceptions"
#include <charm/cannot_go_on_see_the_error_above>
#endif
