// Tasks that any rank may run (ABSS §6): a task is a value that is copied as bytes, and one function runs them all.
#pragma once

#include <charm/remote.hpp>
#include <charm/remote_loops.hpp>

#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <exception>
#include <span>
#include <utility>
#include <vector>

namespace charm::remote {

/// How tasks are divided over the ranks.
struct RankTaskOptions {
  /// Whether a rank that has none left takes half of another's that have not begun, of the nearest rank that has any
  /// (distance()). A rank whose workers are all in long tasks answers when one of these ends.
  bool steal = false;
};

namespace detail {

class TaskBag;
using TaskBody = void (*)(void* function, const std::byte* task, TaskBag& bag);
void add_task(TaskBag& bag, const std::byte* task);

struct BagPart {
  std::uint64_t number;
  std::uint64_t bytes;  // of a task
  bool steal;
};
/// The bytes of a task are at most this, so that a reply takes several.
inline constexpr std::size_t most_task_bytes = 256;
/// As open_part() and run_part(). \param first tasks with which this rank begins. They are there before another rank
/// can ask for them: one that finds nothing anywhere ends.
void open_bag(const BagPart& part, std::span<const std::byte> first);
void run_bag(const BagPart& part, TaskBody body, void* function);

}  // namespace detail

/// What the function of run_tasks() adds further tasks to.
template <class Task>
class MoreTasks {
 public:
  /// For run_tasks().
  explicit MoreTasks(detail::TaskBag& bag) noexcept : bag_(bag) {}
  /// Adds a task, which this rank runs, or one that takes it.
  void add(const Task& task) { detail::add_task(bag_, reinterpret_cast<const std::byte*>(&task)); }

 private:
  detail::TaskBag& bag_;
};

namespace detail {

template <class Task, class F>
struct RankTasks {
  void operator()() {
    run_bag(
        part,
        [](void* at, const std::byte* task, TaskBag& bag) {
          alignas(Task) std::array<std::byte, sizeof(Task)> bytes;
          std::memcpy(bytes.data(), task, sizeof(Task));
          MoreTasks<Task> more(bag);
          (*static_cast<F*>(at))(std::bit_cast<Task>(bytes), more);
        },
        &function);
  }
  BagPart part;
  F function;
};

}  // namespace detail

/// Calls `function(task, MoreTasks<Task>& more)` for each of `first`, and for each task that the function adds by
/// more.add(), on the workers of this rank and, with options.steal, of all ranks; and waits for the end. One task calls
/// it; `function` is sent as call() sends it. Tasks run in any order, each once. What they have posted may still be on
/// the way at the end.
/// \throws Error as call(); the first one, when all ranks have ended. After an exception tasks may be missing.
template <class Task, class F>
void run_tasks(std::span<const Task> first, const F& function, const RankTaskOptions& options = {}) {
  static_assert(detail::sendable<Task> && sizeof(Task) <= detail::most_task_bytes,
                "a task is a value of at most 256 bytes that can be copied as bytes; send a global_ptr for an address");
  using Tasks = detail::RankTasks<Task, F>;
  const Tasks tasks{{detail::new_loop(), sizeof(Task), options.steal}, function};
  detail::open_bag(tasks.part, std::as_bytes(first));
  std::vector<future<void>> parts;
  std::exception_ptr error;
  try {
    if (options.steal) {
      std::vector<future<void>> opened;
      for (const int r : ranks_by_distance())
        opened.push_back(call_async(r, [](detail::BagPart part) { detail::open_bag(part, {}); }, tasks.part));
      flush();
      detail::wait_for_all(opened, nullptr);
      for (const int r : ranks_by_distance()) parts.push_back(call_async(r, tasks));
      flush();
    }
  } catch (...) {
    error = std::current_exception();
  }
  try {
    parts.push_back(call_async(rank(), tasks));  // also after an error: it ends this rank's part
    flush();
  } catch (...) {
    if (error == nullptr) error = std::current_exception();
  }
  detail::wait_for_all(parts, std::move(error));
}

}  // namespace charm::remote
