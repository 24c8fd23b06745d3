// Arenas: bounded groups of workers of their own, for a library or a kind of query, several in one process.
//
// An arena has workers on the cores that it is given, and everything that is forked within it runs on these workers
// alone. While one of its tasks waits, the worker runs other tasks of the arena and no others. If several arenas, or an
// arena and the rest of the program, have workers on a core, the one with the highest priority that has work gets it
// (docs/arenas.md).
#pragma once

#include <charm/call.hpp>
#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/completion.hpp>
#include <charm/future.hpp>
#include <charm/id_set.hpp>
#include <charm/machine.hpp>
#include <charm/placement.hpp>
#include <charm/runtime.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace charm {

/// Decides who gets a core for which several arenas have work. The rest of the program has `normal`.
enum class Priority { low, normal, high };

/// Where an arena has workers, and how many. Name the fields that you set, in this order:
/// `charm::arena queries({.chiplets = {2, 3}, .priority = charm::Priority::high})`.
struct ArenaOptions {
  ChipletSet chiplets = {};              ///< by index in Machine::chiplets; empty: all
  CoreSet cores = {};                    ///< by index in Machine::cores; empty: all of the chiplets
  std::vector<CoreKind> kinds = {};      ///< of these cores those of these kinds; empty: all
  int workers = 0;                       ///< the largest number; 0: one for each of the cores, at most num_workers()
  Priority priority = Priority::normal;  ///< of its workers, where others want the same cores
  std::string name = {};                 ///< for errors and the names of its threads
};

namespace detail {

struct ArenaState;

std::shared_ptr<ArenaState> make_arena(const ArenaOptions& options);
void end_arena(const std::shared_ptr<ArenaState>& state) noexcept;
/// Whether the caller is a task of the arena, or blocking code of such a task.
bool inside_arena(const ArenaState& state) noexcept;
/// \throws Error (not_running).
void post_to_arena(ArenaState& state, ListedJob& job);
[[nodiscard]] int arena_workers(const ArenaState& state) noexcept;
[[nodiscard]] std::vector<WorkerCore> arena_cores(const ArenaState& state);
[[nodiscard]] Priority arena_priority(const ArenaState& state) noexcept;

}  // namespace detail

/// A group of workers with a runtime of its own. Inside of it worker_id(), num_workers(), worker_cores(), all_do(),
/// calls to workers, chiplets and nodes, and stats() refer to the arena's workers. It costs a thread for each worker,
/// which sleeps while the arena has no work: make an arena once and keep it. Any number of threads and tasks may use it
/// at the same time.
class arena {
 public:
  /// Starts the workers. \throws Error: not_running; bad_input for chiplets, cores or numbers that do not exist; system
  /// if the kernel gives no more threads.
  explicit arena(const ArenaOptions& options = {}) : state_(detail::make_arena(options)) {}
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  /// Waits until all tasks of the arena have ended, including those that nobody else waits for; a calling task is
  /// suspended meanwhile. A task of this arena cannot wait for itself: there a notice says so, and the arena stays
  /// until finalize(). If finalize() has ended the arena already, it returns at once.
  ~arena() { detail::end_arena(state_); }

  /// Runs `function` in the arena and returns what it returns or throws. A task that calls this is suspended meanwhile
  /// (docs/suspension.md), any other thread sleeps. In a task of this arena it is a plain call. `function` inherits the
  /// caller's cancellation and the values of its task_locals.
  /// \throws Error (not_running) also if finalize() has ended the arena, or dropped the task.
  template <class F>
  auto execute(F&& function) -> std::invoke_result_t<F> {
    if (detail::inside_arena(*state_)) return std::forward<F>(function)();
    const detail::WorkerBase* worker = detail::this_worker();
    auto within = [&function, scope = worker != nullptr ? worker->scope : nullptr]() -> std::invoke_result_t<F> {
      const detail::WithScope caller(scope);
      return std::forward<F>(function)();
    };
    detail::RootJob<decltype(within)&> root(within);
    detail::post_to_arena(*state_, root);
    root.done.wait();
    return root.result.take();
  }

  /// Starts `function` as a task of the arena. \throws Error (not_running).
  template <class F>
  auto async(F&& function) -> future<std::invoke_result_t<std::decay_t<F>&>> {
    auto* job = detail::make_async(std::forward<F>(function));
    try {
      detail::post_to_arena(*state_, *job);
    } catch (...) {
      job->destroy(job);
      throw;
    }
    return future<std::invoke_result_t<std::decay_t<F>&>>(job);
  }

  /// The same for a task that only the arena's destructor and finalize() wait for, as charm::run_detached().
  /// \throws Error (not_running).
  template <class F>
  void run_detached(F&& function) {
    detail::start_detached(std::forward<F>(function),
                           [this](detail::ListedJob& job) { detail::post_to_arena(*state_, job); });
  }

  /// The largest number of tasks that run in it at a time: the number of its workers.
  [[nodiscard]] int max_concurrency() const noexcept { return detail::arena_workers(*state_); }
  /// The cores of its workers. \throws Error (not_running) if finalize() has ended it.
  [[nodiscard]] std::vector<WorkerCore> worker_cores() const { return detail::arena_cores(*state_); }
  /// The priority that it was given.
  [[nodiscard]] Priority priority() const noexcept { return detail::arena_priority(*state_); }
  /// Whether the caller is a task of this arena.
  [[nodiscard]] bool inside() const noexcept { return detail::inside_arena(*state_); }

 private:
  std::shared_ptr<detail::ArenaState> state_;
};

}  // namespace charm
