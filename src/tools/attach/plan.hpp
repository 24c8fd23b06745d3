// The plan of `charm run` and `charm attach`: the cpus, the machine that these leave, the policy,
// and whether a worker is bound to its core, chiplet or node. Pure functions; every error says what is wrong, and the
// remedy.
#pragma once

#include <charm/machine.hpp>

#include <array>
#include <optional>
#include <string>

#include "base/id_sets.hpp"
#include "base/settings.hpp"
#include "placement/placement.hpp"

namespace charm::attach {

/// Where new pages of the program come from: as without charm, from each thread's node, from the nodes of its cpus in
/// turn, or only from these nodes.
enum class Memory { keep, local, interleave, bind };
constexpr auto choices(Memory /*unused*/) {
  return std::array{base::Choice{Memory::keep, "keep"}, base::Choice{Memory::local, "local"},
                    base::Choice{Memory::interleave, "interleave"}, base::Choice{Memory::bind, "bind"}};
}

struct Wishes {
  std::string policy;          ///< empty: the policy of the settings
  std::optional<CpuSet> cpus;  ///< the only cpus to use; nothing: all that are allowed
  int chiplets = 0;            ///< largest number of chiplets to use; 0: all
  std::optional<bool> smt;     ///< nothing: as the settings say
  Memory memory = Memory::keep;
  bool size = true;  ///< whether to tell thread pools how many threads to make
};

struct AttachPlan {
  Machine machine;             ///< the part of the machine that the program may use
  CpuSet cpus;                 ///< the cpus that the program starts with and never leaves
  std::string spec;            ///< the policy, as controller::placement_for takes it
  placement::Request request;  ///< all but the number of workers
  base::Bind bind = base::Bind::core;
  int cores = 0;  ///< number of workers that can have a core of their own
};

/// The policy to use. "adaptive" ticks every 200 ms for other programs, unless its tick is set: reading counts of
/// threads from outside costs more than a worker's own counts do.
std::string spec_for(const Wishes& wishes, const base::Settings& settings);

/// \throws Error: bad_config for an unknown policy, bad_input for cpus that may not be used or more chiplets
/// than there are.
AttachPlan make_plan(const Machine& machine, const Wishes& wishes, const base::Settings& settings);

/// The plan on those of its cpus that are in `cpus`, for instance because a cgroup has changed; unchanged if none is.
AttachPlan on_cpus(const AttachPlan& plan, const CpuSet& cpus);

/// The plan on some of its cores.
AttachPlan narrowed(const AttachPlan& plan, const CoreCpuSet& cores);

/// The machine with at most `chiplets` of its chiplets, those with the most cores.
Machine largest_chiplets(const Machine& machine, int chiplets);

/// Number of cores on the largest `chiplets` chiplets; of the machine if that is 0.
int cores_of_chiplets(const Machine& machine, int chiplets);

}  // namespace charm::attach
