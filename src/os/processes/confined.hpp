// Runs a function in a child of this process that may crash, hang or grow without harm to the caller: its time, memory
// and output are bounded, and it gives back a text. Used for libraries that do not survive bad input.
//
// - The child has only the calling thread, the default dispositions of signals, an environment of its own, no standard
//   output and error, and leaves no core file. It ends with the function, without running any destructor or exit
//   handler of the caller's.
// - What the function allocates or changes is the child's alone.
#pragma once

#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace charm::os {

struct Confinement {
  double cpu_s = 10;                               ///< of processor time
  double wall_s = 60;                              ///< in all: what waits for something uses no processor time
  std::size_t bytes = std::size_t{2} << 30U;       ///< of address space, beyond what the caller has
  std::size_t said_bytes = std::size_t{1} << 28U;  ///< of text
  std::vector<std::string> environment = {};       ///< "NAME=value", all of it
};

struct ConfinedResult {
  std::string said;
  std::string problem;  ///< why there is no text: "crashed (Aborted)", "took more than 10 s"; empty where there is
};

/// \param body an exception ends it: its what() is then the problem.
/// \throws Error (system) where no process can be made.
ConfinedResult run_confined(const Confinement& limits, const std::function<std::string()>& body);

/// This process's environment without the named variables, for Confinement::environment.
std::vector<std::string> environment_without(const std::vector<std::string>& names);

}  // namespace charm::os
