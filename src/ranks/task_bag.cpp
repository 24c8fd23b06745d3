// The tasks of run_tasks() that a rank has, and what other ranks take of them.
//
// A bag is a stack of tasks as bytes: the rank takes the newest, another rank the older half, which are likely to be
// the larger ones. A task is in one bag, in an answer on the way, or running, so each runs once. For each task that
// comes into a bag the rank starts a job that runs the newest one, if there still is one. The first tasks are in their
// bag before any rank begins, so nobody ends because the rank that has them is late.
//
// A rank whose bag is empty asks the others, again and again, until all tasks have ended (rounds.hpp).
#include <charm/charm.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/remote_tasks.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "ranks/answer.hpp"
#include "ranks/called.hpp"
#include "ranks/numbered.hpp"
#include "ranks/rounds.hpp"

namespace charm::remote::detail {

/// What one rank gives another at a time.
struct GivenTasks {
  std::uint32_t bytes;
  bool active;             // the rank has more, or runs some
  bool ended;              // it knows that all tasks have ended, or one of its own has failed
  std::uint64_t given;     // tasks that it has given so far, with these
  std::uint64_t received;  // tasks that it has taken so far
  std::array<std::byte, 4 * most_task_bytes> tasks;
};

class TaskBag : public Numbered<TaskBag> {
 public:
  TaskBag(const BagPart& part, std::span<const std::byte> first)
      : Numbered(part.number), bytes_(part.bytes), steal_(part.steal) {
    put(first);
  }

  void add(const std::byte* task) {
    put(std::span(task, bytes_));
    group_->run([this] { run_newest(); });
  }

  GivenTasks give() noexcept {
    GivenTasks given{};
    const std::lock_guard guard(lock_);
    const std::size_t count = std::min((waiting() + 1) / 2, given.tasks.size() / bytes_);
    given.bytes = static_cast<std::uint32_t>(count * bytes_);
    std::copy_n(tasks_.data() + given_bytes_, given.bytes, given.tasks.begin());
    given_bytes_ += given.bytes;
    if (given_bytes_ > tasks_.size() / 2) {  // so seldom that moving the others costs little
      tasks_.erase(tasks_.begin(), tasks_.begin() + static_cast<std::ptrdiff_t>(given_bytes_));
      given_bytes_ = 0;
    }
    given.given = given_ += count;
    given.received = received_;
    given.active = active_.fetch_sub(static_cast<std::int64_t>(count), std::memory_order_relaxed) !=
                   static_cast<std::int64_t>(count);
    return given;
  }

  void run(const BagPart& part, TaskBody body, void* function) {
    body_ = body;
    function_ = function;
    do {
      charm::task_group group;
      group_ = &group;
      for (std::size_t tasks = count(); tasks > 0; --tasks) group.run([this] { run_newest(); });
      group.wait();
    } while (steal_ && take_from_others(part));
  }

 private:
  void put(std::span<const std::byte> tasks, bool from_others = false) {
    const std::lock_guard guard(lock_);
    tasks_.insert(tasks_.end(), tasks.begin(), tasks.end());
    const std::size_t count = tasks.size() / bytes_;
    active_.fetch_add(static_cast<std::int64_t>(count), std::memory_order_relaxed);
    if (from_others) received_ += count;
  }
  Round moved() noexcept {
    const std::lock_guard guard(lock_);
    return {false, given_, received_};
  }
  std::size_t count() noexcept {
    const std::lock_guard guard(lock_);
    return waiting();
  }
  /// Under lock_.
  [[nodiscard]] std::size_t waiting() const noexcept { return (tasks_.size() - given_bytes_) / bytes_; }

  void run_newest() {
    std::array<std::byte, most_task_bytes> task;
    {
      const std::lock_guard guard(lock_);
      if (waiting() == 0) return;  // another rank has taken it
      std::copy(tasks_.end() - static_cast<std::ptrdiff_t>(bytes_), tasks_.end(), task.begin());
      tasks_.resize(tasks_.size() - bytes_);
    }
    try {
      body_(function_, task.data(), *this);
    } catch (...) {
      {
        const std::lock_guard guard(lock_);  // nobody takes more of them
        active_.fetch_sub(static_cast<std::int64_t>(waiting()), std::memory_order_relaxed);
        tasks_.clear();
        given_bytes_ = 0;
      }
      active_.fetch_sub(1, std::memory_order_relaxed);
      throw;
    }
    active_.fetch_sub(1, std::memory_order_relaxed);
    if (steal_) answer_now_and_then();  // others may ask for their share
  }

  /// \return false when all tasks of all ranks have ended.
  bool take_from_others(const BagPart& part) {
    Rounds rounds;
    for (auto pause = std::chrono::microseconds(5);; pause = std::min(2 * pause, std::chrono::microseconds(500))) {
      Round round = moved();  // nobody changes this rank's numbers while it has no tasks
      for (const int victim : ranks_by_distance()) {
        const GivenTasks given = call(
            victim,
            [](std::uint64_t number) {
              return with(number, [](TaskBag* bag) {
                GivenTasks none{};
                none.ended = true;
                return bag != nullptr ? bag->give() : none;
              });
            },
            part.number);
        if (given.bytes > 0) {
          put(std::span(given.tasks).first(given.bytes), true);
          return true;
        }
        if (given.ended) return false;
        round.active = round.active || given.active;
        round.given += given.given;
        round.received += given.received;
      }
      if (rounds.ended(round)) return false;
      charm::sleep_for(pause);
    }
  }

  const std::size_t bytes_;
  const bool steal_;
  TaskBody body_ = nullptr;
  void* function_ = nullptr;
  charm::task_group* group_ = nullptr;
  charm::detail::SpinLock lock_;
  std::vector<std::byte> tasks_;         // the oldest first
  std::size_t given_bytes_ = 0;          // of these, that other ranks have taken
  std::uint64_t given_ = 0;              // tasks, to other ranks
  std::uint64_t received_ = 0;           // tasks, from other ranks
  std::atomic<std::int64_t> active_{0};  // those and the ones that run
};

void add_task(TaskBag& bag, const std::byte* task) { bag.add(task); }

void open_bag(const BagPart& part, std::span<const std::byte> first) {
  new TaskBag(part, first);  // in the list; run_bag() ends it
}

void run_bag(const BagPart& part, TaskBody body, void* function) {
  const std::unique_ptr<TaskBag> own(TaskBag::find(part.number));
  // As run_part(): its tasks wait for room.
  in_called_function.with(false, [&] { own->run(part, body, function); });
}

}  // namespace charm::remote::detail
