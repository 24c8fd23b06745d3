// Kinds of cores in placement: the cores of a faster kind are all taken before a slower kind gets a worker, and
// low-power cores get one only if more workers are asked for than the other cores hold.
#pragma once

#include <charm/machine.hpp>

#include <string>
#include <vector>

namespace charm::placement {

/// The machine's cores of each kind, the fastest kind first, without kinds that it does not have.
std::vector<std::vector<const Core*>> cores_by_kind(const Machine& machine);

/// Number of cores that get a worker each if nobody asks for a number: all but low-power ones, or all if there are
/// no others.
int usual_cores(const Machine& machine);

/// The machine without its low-power cores; unchanged if it has no others.
Machine without_low_power(const Machine& machine);

/// The machine with its cores of these kinds alone; unchanged if `kinds` is empty or "auto".
/// \param kinds words of CoreKind, separated by commas.
/// \throws Error: bad_config for another word; bad_input where the machine has no such core.
Machine of_kinds(const Machine& machine, const std::string& kinds);

/// "10 performance (cpus 5-9,15-19), 10 efficiency (cpus 0-4,10-14)"; empty where all cores are of one kind.
std::string kinds_text(const Machine& machine);

}  // namespace charm::placement
