// Arenas: bounded groups of workers of their own, for a library or a kind of query, several in one process.
//
// An arena has workers on the cores that it is given, and whatever is forked within it runs on these alone; a task of
// it that waits lets tasks of the arena run meanwhile and no others. Where several arenas have workers on a core, or an
// arena and the rest of the program, the core goes to the one with the highest priority that has work (docs/arenas.md).
#pragma once

#include <charm/call.hpp>
#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/completion.hpp>
#include <charm/future.hpp>
#include <charm/id_set.hpp>
#include <charm/placement.hpp>
#include <charm/runtime.hpp>

#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace charm {

/// Who gets a core that several have work for. The rest of the program has `normal`.
enum class Priority { low, normal, high };

/// Where an arena has workers, and how many. Name the fields that you set, in this order:
/// `charm::arena queries({.chiplets = {2, 3}, .priority = charm::Priority::high})`.
struct ArenaOptions {
  ChipletSet chiplets = {};  ///< by index in Machine::chiplets; empty: all
  CoreSet cores = {};        ///< by index in Machine::cores; empty: all of the chiplets
  int workers = 0;           ///< at most so many; 0: one for each of the cores, as far as num_workers() goes
  Priority priority = Priority::normal;  ///< of its workers, where others want the same cores
  std::string name = {};                 ///< for errors and the names of its threads
};

namespace detail {

struct ArenaState;

std::shared_ptr<ArenaState> make_arena(const ArenaOptions& options);
void end_arena(const std::shared_ptr<ArenaState>& state) noexcept;
/// Whether the caller is a task of it, or blocking code of one.
bool inside_arena(const ArenaState& state) noexcept;
/// \throws Error (not_running).
void post_to_arena(ArenaState& state, ListedJob& job);
[[nodiscard]] int arena_workers(const ArenaState& state) noexcept;
[[nodiscard]] std::vector<WorkerCore> arena_cores(const ArenaState& state);
[[nodiscard]] Priority arena_priority(const ArenaState& state) noexcept;

}  // namespace detail

/// A group of workers with a runtime of its own. Inside of it worker_id(), num_workers(), worker_cores(), all_do(),
/// calls to workers, chiplets and nodes, and stats() are about the arena's workers. It costs a thread for each of them,
/// asleep while the arena has no work: make it once and keep it. Any thread and any task may use one arena at a time
/// with others.
class arena {
 public:
  /// Starts the workers. \throws Error: not_running; bad_input for chiplets, cores or numbers that there are not;
  /// system where there are no more threads to be had.
  explicit arena(const ArenaOptions& options = {}) : state_(detail::make_arena(options)) {}
  arena(const arena&) = delete;
  arena& operator=(const arena&) = delete;
  /// Waits until all tasks of the arena have ended, those that nobody waits for included; in a task, which is suspended
  /// meanwhile. In a task of this very arena that would be for ever: there it says so and leaves the arena to
  /// finalize(). Where finalize() has ended it before there is nothing to wait for.
  ~arena() { detail::end_arena(state_); }

  /// Runs `function` in the arena and returns what it returns or throws. A task that calls this is suspended meanwhile
  /// (docs/suspension.md), any other thread sleeps. In a task of this arena it is a plain call. Cancelling what the
  /// caller belongs to cancels what runs within, and values of task_locals are inherited.
  /// \throws Error (not_running) also where finalize() has ended the arena, or dropped the task.
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

  /// How many tasks run in it at a time at most: its workers.
  [[nodiscard]] int max_concurrency() const noexcept { return detail::arena_workers(*state_); }
  /// The cores of its workers. \throws Error (not_running) where finalize() has ended it.
  [[nodiscard]] std::vector<WorkerCore> worker_cores() const { return detail::arena_cores(*state_); }
  /// As it was given.
  [[nodiscard]] Priority priority() const noexcept { return detail::arena_priority(*state_); }
  /// Whether the caller is a task of this arena.
  [[nodiscard]] bool inside() const noexcept { return detail::inside_arena(*state_); }

 private:
  std::shared_ptr<detail::ArenaState> state_;
};

}  // namespace charm
