#include "tools/cli/machine_notes.hpp"

#include "placement/kinds.hpp"

namespace charm::cli {

std::vector<std::string> machine_notes(const Machine& machine) {
  std::vector<std::string> notes = machine.doubts;
  if (const std::string kinds = placement::kinds_text(machine); !kinds.empty())
    notes.push_back("Kinds of cores: " + kinds + "; the faster ones get workers first.");
  return notes;
}

}  // namespace charm::cli
