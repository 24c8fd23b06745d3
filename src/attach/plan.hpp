// The plan of `charm run` and `charm attach`: the cpus, the machine that these leave, the policy,
// and how wide a worker is bound. Pure functions; every refusal says what, where and the remedy.
#pragma once

#include <charm/machine.hpp>

#include <array>
#include <optional>
#include <string>

#include "base/id_sets.hpp"
#include "base/settings.hpp"
#include "placement/placement.hpp"

namespace charm::attach {

/// Where the program's memory comes from: as it is, near each thread, the nodes of its cpus in turn, or those alone.
enum class Memory { keep, local, interleave, bind };
constexpr auto choices(Memory /*unused*/) {
  return std::array{base::Choice{Memory::keep, "keep"}, base::Choice{Memory::local, "local"},
                    base::Choice{Memory::interleave, "interleave"}, base::Choice{Memory::bind, "bind"}};
}

struct Wishes {
  std::string policy;          ///< empty: the setting's
  std::optional<CpuSet> cpus;  ///< no others; empty: all allowed
  int chiplets = 0;            ///< at most so many; 0: all
  std::optional<bool> smt;     ///< nothing: the setting's
  Memory memory = Memory::keep;
  bool size = true;  ///< tell pools of threads how many to make
};

struct AttachPlan {
  Machine machine;             ///< what is left to the program
  CpuSet cpus;                 ///< that it starts with and never leaves
  std::string spec;            ///< of the policy
  placement::Request request;  ///< but for the number of workers
  base::Bind bind = base::Bind::core;
  int cores = 0;  ///< workers that get one of their own
};

/// "adaptive" ticks every 200 ms for other programs, unless its tick is set: reading about threads from outside
/// costs more than a worker's own counts.
std::string spec_for(const Wishes& wishes, const base::Settings& settings);

/// \throws Error: bad_config for a policy that there is not, bad_input for cpus that may not be used or more chiplets
/// than there are.
AttachPlan make_plan(const Machine& machine, const Wishes& wishes, const base::Settings& settings);

/// The plan on what is left of its cpus, for instance by a cgroup; as it is where nothing is left.
AttachPlan on_cpus(const AttachPlan& plan, const CpuSet& cpus);

/// The plan on some of its cores.
AttachPlan narrowed(const AttachPlan& plan, const CoreCpuSet& cores);

/// At most `chiplets` of a machine, those with the most cores.
Machine largest_chiplets(const Machine& machine, int chiplets);

/// Cores of the largest `chiplets`; all of them where that is 0.
int cores_of_chiplets(const Machine& machine, int chiplets);

}  // namespace charm::attach
