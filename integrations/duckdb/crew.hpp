// The workers that run a database's tasks.
//
// A pump is a CHARM task that takes tasks from DuckDB's queue and runs them, one after the other, until it finds none
// or there are too many pumps. DuckDB does not say how many tasks wait, and its own function that waits for one would
// keep a worker from all other work. So pumps look when something may have changed (an event): a query has begun, or a
// task has ended, because DuckDB schedules the tasks of the next pipelines then. Between two tasks a pump yields, and
// the runtime's controller may move the worker.
//
// - pumps_ counts the pumps that were spawned and have not left. Nobody spawns one beyond limit_, and those beyond it
//   leave one by one, so that not all do.
// - No event is lost: the thread that announces one first counts it and then spawns as many pumps as are missing. A
//   pump that has found nothing first leaves (pumps_) and then checks whether there was an event since it began to
//   search. One of the two sees the other.
// - A query that waits is woken once: by the first who sees under the lock that DuckDB has finished it. It is looked at
//   after each task, since it is a task that finishes a query, and at each look of the watch.
// - Tasks that appear without an event (queries of threads that know nothing of CHARM; tasks that DuckDB schedules
//   again while another one runs) are found by the watch: at each look it spawns one pump, or as many as there are, so
//   that the crew doubles while its pumps are inside tasks.
#pragma once

#include <charm/async_scope.hpp>
#include <charm/semaphore.hpp>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <stop_token>
#include <vector>

#include "duckdb/arenas.hpp"
#include "duckdb/functions.hpp"

namespace charm::duckdb {

class Crew {
 public:
  /// \param most number of workers that run tasks at a time, unless set_limit() says otherwise
  Crew(const Functions& functions, TaskState tasks, const Options& options, int most);
  /// Waits for the tasks that run; those that wait in DuckDB's queue stay there.
  ~Crew();
  Crew(const Crew&) = delete;
  Crew& operator=(const Crew&) = delete;

  /// Waits until the tasks of the query that is pending on `connection` have run, or it has failed. \param workers most
  /// that run tasks meanwhile; 0: as ever.
  void finish(Connection connection, int workers);

  void set_limit(int workers);
  [[nodiscard]] int limit() const;

  [[nodiscard]] std::vector<WorkerTasks> counts() const;
  [[nodiscard]] std::uint64_t in_vain() const noexcept { return in_vain_.load(std::memory_order_relaxed); }
  [[nodiscard]] bool arenas() const noexcept { return arenas_.active(); }

 private:
  struct Waiting {
    Connection connection;
    int workers;
    bool woken = false;
    charm::binary_semaphore done{0};
  };
  struct alignas(64) Count {
    std::atomic<std::uint64_t> tasks{0};
    std::atomic<std::uint64_t> busy_ns{0};
  };

  void announce();
  void spawn_up_to(int pumps);
  bool enter(int most) noexcept;
  bool leave_if_too_many() noexcept;
  void pump();
  bool run_one();
  void wake_finished();
  void watch(int milliseconds);
  void settle_limit();

  const Functions& functions_;
  const TaskState tasks_;
  Arenas arenas_;

  mutable std::mutex mutex_;  // held for a few instructions, never over a wait
  std::vector<Waiting*> waiting_;
  int usual_;

  std::atomic<int> limit_;
  std::atomic<int> pumps_{0};
  std::atomic<std::uint64_t> events_{0};
  std::atomic<std::uint64_t> in_vain_{0};
  std::atomic<bool> closing_{false};
  std::unique_ptr<Count[]> counts_;
  const int workers_;

  std::stop_source stop_watch_;
  async_scope scope_;  // last: its tasks use all the others
};

}  // namespace charm::duckdb
