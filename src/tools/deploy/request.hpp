// The request for a deployment: how many workers of an engine on each machine, on which cores, with which memory. The
// policies are those of "OLAP on Modern Chiplet-Based Processors" (PVLDB 17, 2024), section 3.2.
#pragma once

#include <charm/id_set.hpp>

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/choice.hpp"

namespace charm::deploy {

/// One worker per machine, NUMA node, chiplet or core; the words are the paper's.
enum class Policy { wim, win, wicp, wic };
constexpr auto choices(Policy /*unused*/) {
  return std::array{base::Choice{Policy::wim, "wim"}, base::Choice{Policy::win, "win"},
                    base::Choice{Policy::wicp, "wicp"}, base::Choice{Policy::wic, "wic"}};
}

/// Which cores the workers of `wicp` have (paper, section 4.4): those of one chiplet, or as many that are spread evenly
/// over the chiplets of its NUMA node, so that it can use all their caches.
enum class Shape { local, mixed };
constexpr auto choices(Shape /*unused*/) {
  return std::array{base::Choice{Shape::local, "local"}, base::Choice{Shape::mixed, "mixed"}};
}

/// Where a worker's memory comes from: only its nodes, its node as long as that has memory, its nodes in turn by the
/// kernel's weights (Linux 6.9), or wherever the kernel chooses.
enum class Memory { bind, preferred, weighted, none };
constexpr auto choices(Memory /*unused*/) {
  return std::array{base::Choice{Memory::bind, "bind"}, base::Choice{Memory::preferred, "preferred"},
                    base::Choice{Memory::weighted, "weighted"}, base::Choice{Memory::none, "none"}};
}

struct Request {
  Policy policy = Policy::wicp;
  Shape shape = Shape::local;
  int per_chiplet = 1;                   ///< workers on each chiplet (wicp)
  std::optional<Memory> memory;          ///< nothing: none for wim, bind for the others, as in the paper
  bool smt = false;                      ///< whether a worker's mask has all hardware threads of its cores
  std::optional<CpuSet> cpus;            ///< the only cpus to use; nothing: all that the machine allows
  int leave_cores = 0;                   ///< cores of each machine that no worker gets
  std::optional<std::uint64_t> reserve;  ///< bytes of each node left to the system; nothing: a tenth, at least 1 GiB
  std::uint64_t node_memory = 0;         ///< bytes of each node, in place of the description's; 0: the description's
  int port = 20000;                      ///< first port; each worker has two
  std::string directory = "charm-deploy";

  [[nodiscard]] Memory memory_in_force() const {
    return memory.value_or(policy == Policy::wim ? Memory::none : Memory::bind);
  }
};

}  // namespace charm::deploy
