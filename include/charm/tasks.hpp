// Lists the tasks that exist, and what they wait for.
#pragma once

#include <charm/detail/requirements.hpp>

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace charm {

/// Names the running task until it ends, for tasks(), the reports of deadlocks and of stack overflows, and debuggers.
/// At most 31 bytes are kept. Outside of tasks it does nothing.
void name_task(std::string_view name) noexcept;

/// One task that has a stack of its own.
struct TaskInfo {
  std::uint64_t id = 0;   ///< number of the task's stack: small, and unique at any one time
  std::string name;       ///< the name that name_task() or named() gave; may be empty
  std::string function;   ///< the function that the scheduler started: a symbol if the program has it, else file+offset
  std::string state;      ///< "running", "ready", "waiting" or "blocking"
  std::string waits_for;  ///< "mutex", "condition", "channel (receive)", "task" ...; empty if it does not wait
  const void* object = nullptr;  ///< the address of the mutex, channel ... that it waits for
  std::uint64_t holder = 0;      ///< id of the task that holds the mutex; 0 if it is not known
  double seconds = 0;            ///< how long it has waited
  int worker = -1;               ///< the worker that runs it, or that it is bound to; -1: any
};

/// The tasks that run or are suspended at this moment. Nothing is stopped for it; tasks that have not begun are not
/// listed. \throws Error (not_running).
[[nodiscard]] std::vector<TaskInfo> tasks();

/// Writes tasks() to the standard error stream, one line each. Does nothing without a runtime. Debuggers may call it.
void dump_tasks() noexcept;

}  // namespace charm
