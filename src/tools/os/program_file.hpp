// The file of a program that is to be started: where it lies, and whether the dynamic linker will preload libraries
// (LD_PRELOAD) into it.
#pragma once

#include <string>

namespace charm::os {

struct FoundProgram {
  std::string path;
  int error = 0;  ///< ENOENT or EACCES where exec would not run it
};

/// As exec finds it by PATH.
FoundProgram find_program(const std::string& name);

enum class Preloading {
  works,          ///< also where the file does not say, such as a script
  linked_static,  ///< there is no dynamic linker
  other_machine,  ///< a 32-bit program, or of another architecture: the linker cannot load libraries of ours
  other_library,  ///< linked with another C library, such as musl: its linker ends the program
  other_rights,   ///< set-user-ID or set-group-ID: the linker ignores the variable
};

/// \param path of a program. Programs that it starts may be others.
Preloading preloading_into(const std::string& path);

}  // namespace charm::os
