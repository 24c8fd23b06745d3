// Libraries that programs are started with (LD_PRELOAD).
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace charm::cli {

/// A file beside this program, or where it is installed.
/// \param installed its path from the folder of this program.
/// \throws Error (system) that says where it was looked for, with the remedy.
std::string beside_command(const std::string& name, const std::string& installed, const std::string& remedy);

/// Why a library will not serve a program: "'ls' is linked statically"; empty where it will, or there is no such
/// program. What the program itself starts may be served all the same.
/// \param option for the error. \throws Error where the program would not start with the library.
std::string why_not_preloaded(const std::string& program, const std::string& option, const std::string& library);

/// Puts the library before all that LD_PRELOAD has, among the variables or in this process's environment.
/// \throws Error (bad_input) where the variable cannot carry its path.
void preload(const std::string& library, std::vector<std::pair<std::string, std::string>>& variables);

}  // namespace charm::cli
