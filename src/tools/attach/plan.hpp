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
/// turn, only from these nodes, or from all nodes in turn by the kernel's weights.
enum class Memory { keep, local, interleave, bind, weighted };
constexpr auto choices(Memory /*unused*/) {
  return std::array{base::Choice{Memory::keep, "keep"}, base::Choice{Memory::local, "local"},
                    base::Choice{Memory::interleave, "interleave"}, base::Choice{Memory::bind, "bind"},
                    base::Choice{Memory::weighted, "weighted"}};
}

/// Which chiplets are used where not all are: those of the fastest cores, and of these the ones with the most cores;
/// or those with the largest last-level caches, with the fastest cores on the average, or with the most cores of any
/// kind.
enum class ChipletOrder { usual, cache, fast, cores };
constexpr auto choices(ChipletOrder /*unused*/) {
  return std::array{base::Choice{ChipletOrder::cache, "cache"}, base::Choice{ChipletOrder::fast, "fast"},
                    base::Choice{ChipletOrder::cores, "cores"}};
}

struct PlanRequest {
  std::string policy;          ///< empty: the policy of the settings; "kernel": see AttachPlan::by_kernel
  std::optional<CpuSet> cpus;  ///< the only cpus to use; nothing: all that are allowed
  int chiplets = 0;            ///< largest number of chiplets to use; 0: all
  ChipletOrder chiplet_order = ChipletOrder::usual;
  std::optional<bool> smt;  ///< nothing: as the settings say
  int workers = 0;          ///< threads that compute, as far as it is known; 0: one for each core
  Memory memory = Memory::keep;
  bool size = true;  ///< whether to tell thread pools how many threads to make
};

struct AttachPlan {
  Machine machine;  ///< the part of the machine that the program may use
  ChipletOrder chiplet_order = ChipletOrder::usual;
  CpuSet cpus;       ///< the cpus that the program starts with and never leaves
  std::string spec;  ///< the policy, as controller::placement_for takes it
  /// The kernel chooses the cpu: threads may run on all cpus of whole chiplets, or on all of the plan where the kernel
  /// gathers them itself; none is ever bound to a single cpu.
  bool by_kernel = false;
  placement::Request request;  ///< all but the number of workers
  base::Bind bind = base::Bind::core;
  int cores = 0;    ///< number of workers that can have a core of their own
  int workers = 0;  ///< as wished

  /// The policy's name for people.
  [[nodiscard]] const std::string& policy() const {
    static const std::string kernel = "kernel";
    return by_kernel ? kernel : spec;
  }
};

/// The policy to use. "adaptive" ticks every 200 ms for other programs, unless its tick is set: reading counts of
/// threads from outside costs more than a worker's own counts do.
std::string spec_for(const PlanRequest& asked, const base::Settings& settings);

/// \throws Error: bad_config for an unknown policy, bad_input for cpus that may not be used or more chiplets
/// than there are.
AttachPlan make_plan(const Machine& machine, const PlanRequest& asked, const base::Settings& settings);

/// The plan on those of its cpus that are in `cpus`, for instance because a cgroup has changed; unchanged if none is.
AttachPlan on_cpus(const AttachPlan& plan, const CpuSet& cpus);

/// The plan on some of its cores.
AttachPlan narrowed(const AttachPlan& plan, const CoreCpuSet& cores);

/// The machine with at most `chiplets` of its chiplets, the first in this order. Among equals come those whose memory
/// was measured to be faster.
Machine first_chiplets(const Machine& machine, int chiplets, ChipletOrder order);

/// Number of cores on these chiplets; of the machine if `chiplets` is 0.
int cores_of_chiplets(const Machine& machine, int chiplets, ChipletOrder order);

}  // namespace charm::attach
