// The destination of work or memory, to which call(), memory_resource and the arrays reduce their argument.
#pragma once

#include <charm/detail/requirements.hpp>

namespace charm::detail {

/// The place where a job runs, or memory lies: a worker, or any worker of a chiplet or NUMA node.
struct Target {
  enum class Kind { worker, chiplet, node } kind;
  int id;  ///< number of the worker; else an index in Machine::chiplets or Machine::nodes
};

}  // namespace charm::detail
