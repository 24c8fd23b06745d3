// Lists the tasks that exist, and what they wait for.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace charm {

/// Names the running task until it ends; for tasks(), the reports of deadlocks and of stack overflows, and debuggers.
/// At most 31 bytes are kept. Outside of tasks it does nothing.
void name_task(std::string_view name) noexcept;

/// One task that has a stack of its own.
struct TaskInfo {
  std::uint64_t id = 0;   ///< of the task's stack; small numbers, unique at any one time
  std::string name;       ///< as name_task() gave it; may be empty
  std::string function;   ///< what the scheduler started: a symbol where the program has it, else file+offset
  std::string state;      ///< "running", "ready", "waiting" or "blocking"
  std::string waits_for;  ///< "mutex", "condition", "channel (receive)", "task" ...; empty where it does not wait
  const void* object = nullptr;  ///< the address of that mutex, channel ...
  std::uint64_t holder = 0;      ///< of a mutex: the id of the task that holds it; 0 where not known
  double seconds = 0;            ///< that it has waited
  int worker = -1;               ///< that runs it, or that it is bound to; -1: any
};

/// Tasks that run or are suspended, at this moment and without stopping anything; those that have not begun are not
/// listed. \throws Error (not_running).
[[nodiscard]] std::vector<TaskInfo> tasks();

/// Writes tasks() to the standard error stream, one line each. Does nothing outside of a runtime. Debuggers may call
/// it.
void dump_tasks() noexcept;

}  // namespace charm
