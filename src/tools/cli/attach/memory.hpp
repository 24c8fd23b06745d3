// What `charm run --mem` says, found out before the program is started.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "base/id_sets.hpp"
#include "tools/attach/plan.hpp"

namespace charm::cli {

/// "interleave", or "weighted=auto": the word, and what follows the sign.
struct MemoryWish {
  attach::Memory word = attach::Memory::keep;
  std::string weights;  ///< of "weighted": empty for the kernel's as they are, "auto", or a file of weights
};

/// \return what is wrong with it; empty: nothing.
std::string no_memory_wish(const std::string& text);
MemoryWish memory_wish(const std::string& text);

/// The policy of the program's new pages.
struct ProgramMemory {
  attach::Memory word = attach::Memory::keep;
  OsNodeSet nodes;

  /// Sets it for the calling process, which is about to become the program. Says on stderr where the kernel refuses.
  void set() const;
};

/// \param used the part of the machine whose cpus the program uses. \param notes gets what the user should know: where
/// pages will come from, and by what the kernel's weights differ from those that were asked for.
/// \throws Error (system) where the kernel has no weighted interleaving (before Linux 6.9), and as weight_source()
/// does.
ProgramMemory program_memory(const MemoryWish& wish, const Machine& used, std::vector<std::string>& notes);

}  // namespace charm::cli
