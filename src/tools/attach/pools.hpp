// Tells a program's thread pools how many threads to make, and on which cores: by environment variables, and a Java
// program by an argument. A pure function of the environment, which returns the additions. It never changes a variable
// that the user has set, and adds none whose meaning another variable of the user already has.
//
// Pools without a variable (oneTBB, std::thread, joblib, nproc) count the cpus in the mask with which the program
// starts.
#pragma once

#include <charm/placement.hpp>

#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/attach/plan.hpp"

namespace charm::attach {

struct Pool {
  std::string name, value;  ///< the variable
  std::string why;          ///< the kind of pool, for people
  bool argument = false;    ///< "name=value" is not a variable but the first argument of the program
};

/// The command to start.
struct Words {
  std::vector<std::string> words;  ///< the program and its arguments; empty where it is not known
  bool children = false;           ///< the threads of its children are placed, too
};

/// "openmp", "go", "rust", "python", "java".
const std::vector<std::string>& pool_kinds();

/// \param left_out kinds that are not to be told. \param environment looks a variable up, nullptr where it is unset.
std::vector<Pool> pool_sizes(const AttachPlan& plan, const Words& program, const std::vector<std::string>& left_out,
                             const std::function<const char*(const char*)>& environment);

/// The masks that an OpenMP program was told to give its threads (OMP_PLACES); none where it was told no places.
std::set<CpuSet> openmp_masks(const std::vector<Pool>& pools);

/// The number of threads that a pool should have: as many as were asked for, else one for each core, at most the
/// cgroup's quota.
int pool_threads(const AttachPlan& plan);

/// The size that the user has set for an OpenMP team (OMP_NUM_THREADS; the first of a list); nothing: none.
std::optional<int> openmp_threads(const std::function<const char*(const char*)>& environment);

/// The cores of a team of `workers` at the start, in an order in which every smaller team at its beginning has, as far
/// as the policy allows, the cores that the policy gives to a team of that size. Empty where workers are not bound, or
/// share cores.
std::vector<WorkerCore> team_order(const AttachPlan& plan, int workers);

}  // namespace charm::attach
