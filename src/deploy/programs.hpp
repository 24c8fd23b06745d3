// Finds the programs of an engine that packages do not put on PATH.
#pragma once

#include <string>

namespace charm::deploy {

/// A program of PostgreSQL: on PATH, else of the newest version below /usr/lib/postgresql (Debian).
/// \throws Error (bad_input) if it is not installed.
std::string postgresql_program(const std::string& name);

}  // namespace charm::deploy
