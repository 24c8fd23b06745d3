// Processes that run a function of this program beside it, and memory that they share with it.
#pragma once

#include <cstddef>
#include <functional>
#include <optional>

namespace charm::os {

/// Zeroed memory that the process shares with children that are forked later.
class SharedMapping {
 public:
  /// \throws Error (system) if there is no memory.
  explicit SharedMapping(std::size_t bytes);
  ~SharedMapping();
  SharedMapping(const SharedMapping&) = delete;
  SharedMapping& operator=(const SharedMapping&) = delete;
  [[nodiscard]] void* data() const { return data_; }

 private:
  void* data_;
  std::size_t bytes_;
};

/// Runs `body`, which must not throw, in a child that has only the calling thread and ends with it; no destructor of
/// the parent's objects runs there. \return the child's id; nothing where no process can be made.
std::optional<int> fork_child(const std::function<void()>& body);

/// Calls the handlers, which must not throw, around every later fork() of this process: `before` and `in_parent` in the
/// parent, `in_child` in the child, all on the thread that forks (pthread_atfork).
void on_fork(void (*before)(), void (*in_parent)(), void (*in_child)());

/// Returns when the child has ended.
void wait_for_child(int pid);

}  // namespace charm::os
