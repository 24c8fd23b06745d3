// Finds the programs of an engine that packages do not put on PATH.
#pragma once

#include <string>
#include <string_view>

namespace charm::deploy {

/// A program of PostgreSQL: on PATH, else of the newest version below /usr/lib/postgresql (Debian).
/// \throws Error (bad_input) if it is not installed.
std::string postgresql_program(const std::string& name);

/// The folder of an engine: the one that the variable names (SPARK_HOME), else what scripts/engines has installed below
/// $CHARM_ENGINES or charm/engines in the user's folder for data. \param file that is in it, as bin/spark-class.
/// \throws Error (bad_input) if it is nowhere, which says how to get it.
std::string engine_home(const std::string& variable, const std::string& engine, const std::string& file);

/// The first of some programs that is installed ("valkey-server redis-server"): on PATH, else in the folder bin of what
/// scripts/engines has installed as `engine`. \throws Error (bad_input) if none is, with what to do about it.
std::string installed_program(std::string_view names, std::string_view engine, std::string_view install);

/// Java's launcher: $JAVA_HOME/bin/java, else java on PATH. \throws Error (bad_input) if there is none.
std::string java_program();

/// \throws Error (bad_input) if the path is too long for a socket.
void check_socket_path(const std::string& path);

}  // namespace charm::deploy
