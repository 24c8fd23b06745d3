// The list of tasks that run or are suspended, read from the fibers while they run.
#pragma once

#include <charm/tasks.hpp>

#include <string>
#include <string_view>
#include <vector>

namespace charm::fiber {
struct Fiber;
}

namespace charm::sched {

class Runtime;

/// Of the runtime and all arenas.
std::vector<TaskInfo> list_tasks(Runtime& runtime);

/// The waits of threads outside and of tasks in blocking code that have no time limit. A thread has the id 0, and says
/// in `function` which it is.
std::vector<TaskInfo> list_outside_waits(Runtime& runtime);

/// One line: "task 7 'reader' (app+0x1234) waits 1.2 s for mutex 0x7ffd10, held by task 9".
std::string describe(const TaskInfo& task);

/// The calling task, as "task 7 'reader' (app+0x1234)". \param name used instead of the task's own name; empty: its
/// own.
std::string running_task(std::string_view name = {});

/// The same for a suspended task, with the event that it waits for, as in describe().
std::string describe(const Runtime& runtime, const fiber::Fiber& fiber);

/// Whether every worker is parked at this moment, those of all arenas included.
bool everybody_sleeps(Runtime& runtime) noexcept;

}  // namespace charm::sched
