// Spare threads for charm::blocking: each runs one task that may block in the kernel, while the task's worker goes on
// with others. Made when needed, at most `blocking_threads`, kept for the next, ended with the runtime.
//
// A task gets here as a suspended fiber: it leaves its worker as in any wait, and the action that runs after the switch
// hands it over. The spare switches to it, so the task runs on its own stack in a thread that is no worker; at the end
// it switches back to the spare's own stack, where the action makes it ready again. So a worker always keeps its
// thread, also where that thread is the one that called init(), whose stack no other thread may run.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstddef>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "fiber/fiber.hpp"
#include "sched/ready_queue.hpp"

namespace charm::sched {

class Runtime;

class Spares {
 public:
  Spares(Runtime& runtime, std::size_t most) : runtime_(runtime), most_(most) {}
  /// All tasks must have come back.
  ~Spares();
  Spares(const Spares&) = delete;
  Spares& operator=(const Spares&) = delete;

  /// Sees to it that a thread will come for one more task; false where none exists and none can be made.
  bool reserve();
  /// Hands a suspended fiber over. \param node the cpus of which it shall run on; below 0: any.
  void run(fiber::Fiber* fiber, int node) noexcept;
  /// Tasks that were handed over and have not yet gone on as tasks of a worker.
  [[nodiscard]] int out() const noexcept { return out_.load(std::memory_order_seq_cst); }
  void begin() noexcept { out_.fetch_add(1, std::memory_order_seq_cst); }
  void end() noexcept { out_.fetch_sub(1, std::memory_order_seq_cst); }
  [[nodiscard]] std::size_t threads() const;

 private:
  void main(std::size_t number);

  Runtime& runtime_;
  const std::size_t most_;
  mutable std::mutex mutex_;
  std::condition_variable come_;
  std::vector<std::thread> threads_;
  std::size_t promised_ = 0;  // tasks reserved for and not yet taken
  std::size_t idle_ = 0;
  ListedJob* first_ = nullptr;  // tasks that wait for a spare, linked by next
  ListedJob* last_ = nullptr;
  bool ending_ = false;
  std::atomic<int> out_{0};
};

/// The fiber that runs on the calling thread: a worker's or a spare's; nullptr in other threads.
fiber::Fiber* running_fiber() noexcept;

/// Number of the spare that the calling thread is; -1 in other threads.
int spare_number() noexcept;

}  // namespace charm::sched
