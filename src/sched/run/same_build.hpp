// Whether the program and the library were built for each other, as far as it can be seen at init().
#pragma once

namespace charm::sched {

/// \throws Error (bad_config) if the program runs under a sanitizer that the library does not know: it would take the
/// library's synchronisation for races, and the switches between stacks for overflows.
void require_same_build();

}  // namespace charm::sched
