// Advice how to deploy an analytical engine's workers on a machine: one per NUMA node or per chiplet, on the cores of
// one chiplet or of several, from the sizes of the L3 caches, what the engine's queries work on, and how skewed their
// data are. The rules are those of OLAP on chiplets §4.4, §4.5.1 and §4.5.3. Pure.
#pragma once

#include <charm/machine.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "tools/deploy/request.hpp"

namespace charm::deploy {

/// What a query works on.
struct QueryDemand {
  std::string name;
  double seconds = 1;                   ///< how long it takes: its weight among the others
  std::uint64_t working_set_bytes = 0;  ///< hash tables, sorted runs and the like, of all workers together
};

struct OlapQuestion {
  std::vector<QueryDemand> queries;  ///< not empty
  /// The data of the busiest of as many parts as the machine has chiplets, over the mean of all: 1 without skew.
  /// Nothing: by hottest_key.
  std::optional<double> skew = {};
  double hottest_key = 0;  ///< the share of a table's rows that one key has, which stay together; 0: none stands out
};

/// Where a worker's part of a query's working set fits.
enum class Fits { chiplet, node, memory };
constexpr auto choices(Fits /*unused*/) {
  return std::array{base::Choice{Fits::chiplet, "chiplet"}, base::Choice{Fits::node, "node"},
                    base::Choice{Fits::memory, "memory"}};
}

struct QueryAdvice {
  std::string name;
  std::uint64_t worker_bytes = 0;  ///< of the busiest worker
  Fits fits = Fits::chiplet;
};

struct OlapAdvice {
  Policy policy = Policy::wicp;
  Shape shape = Shape::local;
  int per_chiplet = 1;
  int workers = 1;
  double skew = 1;                     ///< the busiest of as many parts as there are chiplets, over the mean
  double busiest = 1;                  ///< the busiest of the advised workers, over the mean
  bool shape_matters = true;           ///< false: most of the time the working sets are beyond all caches
  std::uint64_t chiplet_l3_bytes = 0;  ///< of the smallest chiplet: a worker's share
  std::uint64_t node_l3_bytes = 0;     ///< of all chiplets of the smallest node together
  std::vector<QueryAdvice> queries;    ///< in the order of the question
  std::vector<std::string> reasons;    ///< a sentence each
};

/// \throws Error: bad_input if the machine does not say the sizes of its last-level caches; bad_config if there is no
/// query, the skew is below 1, or the hottest key has more than all rows.
OlapAdvice advise_olap(const Machine& machine, const OlapQuestion& question);

}  // namespace charm::deploy
