// The program and the shared libraries of this process: where their code lies, and whether two processes have the same.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace charm::os {

/// One file that was loaded with code in it.
struct CodeImage {
  std::string name;          ///< path; "" for the program
  std::uintptr_t base = 0;   ///< load base: an address minus it is the same in every process that runs the same file
  std::uintptr_t begin = 0;  ///< of its segments, whole
  std::uintptr_t end = 0;
  std::uint64_t identity = 0;  ///< of the build id, or of the code where the linker has left no build id
};

/// All images in the order in which they were loaded, the program first; without those that have no file, such as the
/// kernel's vdso.
std::vector<CodeImage> code_images();

}  // namespace charm::os
