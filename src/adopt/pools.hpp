// How a program's own pools of threads are told how many to make, and where: by environment variables, and a Java
// program by an argument. Pure: from what is there to what is added. What the user has set is never touched, nor
// anything that says the same by another name.
//
// What has no variable counts the cpus of the mask that the program starts with: oneTBB, std::thread, nproc.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "adopt/plan.hpp"

namespace charm::adopt {

struct Pool {
  std::string name, value;  ///< the variable
  std::string why;          ///< whose pool it sizes, for people
  bool argument = false;    ///< no variable: "name=value" stands in front of the program's own arguments
};

/// What is to be started.
struct Words {
  std::vector<std::string> words;  ///< the program and its arguments; empty where it is not known
  bool children = false;           ///< its children are steered, too
};

/// "openmp", "go", "java".
const std::vector<std::string>& pool_kinds();

/// \param left_out kinds that are not to be told. \param environment looks a variable up, nullptr where it is unset.
std::vector<Pool> pool_sizes(const Plan& plan, const Words& program, const std::vector<std::string>& left_out,
                             const std::function<const char*(const char*)>& environment);

/// Threads that a pool should have: a core each, at most the cgroup's quota.
int pool_threads(const Plan& plan);

}  // namespace charm::adopt
