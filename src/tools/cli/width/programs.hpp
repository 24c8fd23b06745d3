// Tells a program how many threads to have: by its arguments, by variables that pools read, or by the cpus that it may
// use.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

#include "base/choice.hpp"
#include "tools/compare/outcome.hpp"
#include "tools/width/search.hpp"

namespace charm::cli {

enum class TellBy { arguments, variables, mask };
constexpr auto choices(TellBy /*unused*/) {
  return std::array{base::Choice{TellBy::arguments, "arguments"}, base::Choice{TellBy::variables, "variables"},
                    base::Choice{TellBy::mask, "mask"}};
}

struct ProgramAsked {
  std::vector<std::string> words;  ///< the program and its arguments; {threads} or {} stands for the number
  TellBy by = TellBy::variables;
  std::vector<std::string> variables;  ///< for TellBy::variables
  std::string tool;                    ///< the path of this executable, for levels with a policy
};

/// The variables by which pools of threads are told their size: OpenMP, OpenBLAS, MKL, Go, Rayon, Tokio, CHARM.
const std::vector<std::string>& usual_variables();

/// Whether some argument has a place for the number.
bool has_place_for_threads(const std::vector<std::string>& words);

/// The command that runs the program so. With a mask a program gets the cpus of as many cores, chiplet by chiplet, and
/// then their second hardware threads.
compare::Program program_at(const ProgramAsked& asked, const Machine& machine, const width::Level& level);

}  // namespace charm::cli
