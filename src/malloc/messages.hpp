// What the shim says: on the standard error that the program was started with, and nowhere else.
//
// - Whatever needs the environment is read before the program runs: a program may overwrite it (setproctitle).
// - Descriptor 2 is used only while it is the file that it was at the start. A program that closes it may have a file
//   of its data there.
#pragma once

#include "malloc/text.hpp"

namespace charm::shim {

/// Once, before anything is said.
void prepare_messages() noexcept;

/// One line on standard error, unless CHARM_QUIET is set.
void say(const Text& text) noexcept;

/// To standard error, also where CHARM_QUIET is set.
void write_to_error(const Text& text) noexcept;

}  // namespace charm::shim
