// The list of tasks that run or are suspended, read from the fibers while they run.
#pragma once

#include <charm/tasks.hpp>

#include <string>
#include <vector>

namespace charm::sched {

class Runtime;

std::vector<TaskInfo> list_tasks(Runtime& runtime);

/// One line: "task 7 'reader' (app+0x1234) waits 1.2 s for mutex 0x7ffd10, held by task 9".
std::string describe(const TaskInfo& task);

/// Whether every worker is parked at this moment.
bool everybody_sleeps(const Runtime& runtime) noexcept;

}  // namespace charm::sched
