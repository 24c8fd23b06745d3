// Facts about the machine, and the load of other programs on it, for an evaluation. Pure functions of what was read, so
// that tests can invent it; files are read below `root`.
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>

#include <map>
#include <string>
#include <vector>

#include "counters/source.hpp"
#include "tools/evaluate/evaluation.hpp"
#include "tools/os/machine_watch.hpp"

namespace charm::evaluate {

/// \param counters the counters that a worker reads. \param version CHARM's.
MachineFacts machine_facts(const Machine& machine, const counters::Description& counters, const std::string& version,
                           const std::string& root = "/");

/// The same of a machine that is only described: its shape.
MachineFacts described_machine_facts(const Machine& machine);

/// Whether counters tell fills from other chiplets and from memory apart; if not, why.
bool separates_fills(const counters::Description& counters, std::string& why_not);

/// Above this share of the cpus, other programs' load makes a measurement worthless unless somebody asks for it.
inline constexpr double too_busy = 0.25;

/// What disturbs, or may disturb, what is measured: load, steal, governors, a sentence each; empty on a quiet machine.
std::vector<std::string> conditions_of(const os::OthersUse& use, int cpus,
                                       const std::map<std::string, CpuSet>& governors);

}  // namespace charm::evaluate
