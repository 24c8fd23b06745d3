#include "duckdb/crew.hpp"

#include <charm/runtime.hpp>
#include <charm/sleep.hpp>

#include <algorithm>
#include <chrono>

namespace charm::duckdb {

Crew::Crew(const Functions& functions, TaskState tasks, const Options& options, int most)
    : functions_(functions),
      tasks_(tasks),
      arenas_(functions, options.arenas),
      usual_(most),
      limit_(most),
      counts_(std::make_unique<Count[]>(static_cast<std::size_t>(num_workers()))),
      workers_(num_workers()) {
  if (options.watch_ms > 0) scope_.spawn([this, every = options.watch_ms] { watch(every); });
}

Crew::~Crew() {
  closing_ = true;
  stop_watch_.request_stop();
  scope_.join();
}

void Crew::finish(Connection connection, int workers) {
  Waiting self{connection, workers};
  {
    const std::lock_guard lock(mutex_);
    waiting_.push_back(&self);
    settle_limit();
  }
  announce();
  wake_finished();  // DuckDB may have had nothing to do
  try {
    self.done.acquire();
  } catch (const Error&) {
    // The caller's task group was cancelled. No wait of its tasks lasts now, but the query's tasks must end before it
    // does: they are told to, and this task looks now and then whether they have.
    functions_.interrupt(connection);
    while (!self.done.try_acquire()) yield();
  }
  const std::lock_guard lock(mutex_);
  std::erase(waiting_, &self);
  settle_limit();
}

void Crew::set_limit(int workers) {
  {
    const std::lock_guard lock(mutex_);
    usual_ = workers;
    settle_limit();
  }
  announce();
}

int Crew::limit() const {
  const std::lock_guard lock(mutex_);
  return usual_;
}

/// Under the lock.
void Crew::settle_limit() {
  int most = 0;
  for (const Waiting* each : waiting_) most = std::max(most, each->workers > 0 ? each->workers : usual_);
  limit_ = waiting_.empty() ? usual_ : most;
}

void Crew::announce() {
  ++events_;
  spawn_up_to(limit_);
}

/// Of several pumps that are too many no more than that leave.
bool Crew::leave_if_too_many() noexcept {
  int there = pumps_;
  while (closing_ || there > limit_) {
    if (pumps_.compare_exchange_weak(there, there - 1)) return true;
  }
  return false;
}

bool Crew::enter(int most) noexcept {
  int there = pumps_;
  while (there < most) {
    if (pumps_.compare_exchange_weak(there, there + 1)) return true;
  }
  return false;
}

void Crew::spawn_up_to(int pumps) {
  while (!closing_ && enter(pumps)) {
    bool spawned = false;
    try {
      spawned = scope_.spawn([this] { pump(); });
    } catch (...) {  // no memory for a task: the pumps that are there do the work
      spawned = false;
    }
    if (!spawned) {
      --pumps_;
      return;
    }
  }
}

void Crew::pump() {
  for (;;) {
    const std::uint64_t seen = events_;
    if (leave_if_too_many()) return;
    if (run_one()) {
      wake_finished();
      announce();
      yield();
      continue;
    }
    --pumps_;
    if (events_ == seen || !enter(limit_)) return;
  }
}

/// \returns whether there was a task.
bool Crew::run_one() {
  using Clock = std::chrono::steady_clock;
  const int worker = worker_id();
  const auto begin = Clock::now();
  std::uint64_t ran = 0;
  arenas_.enter(worker);
  try {
    ran = functions_.execute_n_tasks_state(tasks_, 1);
  } catch (...) {  // DuckDB keeps the errors of queries itself; what comes here was no query's
    ran = 1;
  }
  if (ran == 0) {
    in_vain_.fetch_add(1, std::memory_order_relaxed);
    return false;
  }
  if (worker >= 0 && worker < workers_) {
    Count& count = counts_[static_cast<std::size_t>(worker)];
    const auto spent = std::chrono::duration_cast<std::chrono::nanoseconds>(Clock::now() - begin);
    count.tasks.fetch_add(1, std::memory_order_relaxed);
    count.busy_ns.fetch_add(static_cast<std::uint64_t>(spent.count()), std::memory_order_relaxed);
  }
  return true;
}

void Crew::wake_finished() {
  const std::lock_guard lock(mutex_);
  for (Waiting* each : waiting_) {
    if (each->woken || !functions_.execution_is_finished(each->connection)) continue;
    each->woken = true;
    each->done.release();  // it leaves the list under the lock, so it is there until we are through
  }
}

void Crew::watch(int milliseconds) {
  while (sleep_for(std::chrono::milliseconds(milliseconds), stop_watch_.get_token())) {
    wake_finished();
    const int there = pumps_;
    spawn_up_to(std::min<int>(limit_, there + std::max(1, there)));
  }
}

std::vector<WorkerTasks> Crew::counts() const {
  std::vector<WorkerTasks> all;
  for (int worker = 0; worker < workers_; ++worker) {
    const Count& count = counts_[static_cast<std::size_t>(worker)];
    all.push_back({count.tasks.load(std::memory_order_relaxed), count.busy_ns.load(std::memory_order_relaxed)});
  }
  return all;
}

}  // namespace charm::duckdb
