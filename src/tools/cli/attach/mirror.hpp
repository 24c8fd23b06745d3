// Files that a program reads near its processes, each with a copy (charm run --mirror): libcharm_mirror.so.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

namespace charm::cli {

struct Mirror {
  std::string library = {};  ///< to be preloaded; empty: nothing is to be mirrored
  std::string files = {};    ///< the value of CHARM_MIRROR_FILES
};

/// \param files that the program maps to read.
/// \param used where it runs. \param notes gets what will not be as the user thinks.
/// \throws Error (bad_input) where a file is none, or memory does not hold its copies; (system) where there is no
/// library.
Mirror mirror_of(const std::vector<std::string>& files, const Machine& used, const std::string& program,
                 std::vector<std::string>& notes);

}  // namespace charm::cli
