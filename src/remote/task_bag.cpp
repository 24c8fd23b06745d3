// The tasks of run_tasks() that a rank has, and what other ranks take of them.
//
// A bag is a stack of tasks as bytes: the rank takes the newest, another rank the older half, which are likely to be
// the larger ones. A task is in one bag, in an answer on the way, or running, so each runs once. For each task that
// comes into a bag the rank starts a job that runs the newest one, if there still is one.
//
// A rank whose bag is empty asks the others, as long as one of them has tasks or runs some. It may end while tasks are
// on the way to another rank: that one runs them.
#include <charm/charm.hpp>
#include <charm/detail/wait_list.hpp>
#include <charm/remote_tasks.hpp>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <memory>
#include <mutex>

#include "remote/called.hpp"
#include "remote/numbered.hpp"

namespace charm::remote::detail {

/// What one rank gives another at a time.
struct GivenTasks {
  std::uint32_t bytes;
  bool active;  // the rank has more, or runs some
  std::array<std::byte, 4 * most_task_bytes> tasks;
};

class TaskBag : public Numbered<TaskBag> {
 public:
  explicit TaskBag(const BagPart& part) noexcept : Numbered(part.number), bytes_(part.bytes), steal_(part.steal) {}

  void add(const std::byte* task) {
    {
      const std::lock_guard guard(lock_);
      tasks_.insert(tasks_.end(), task, task + bytes_);
      active_.fetch_add(1, std::memory_order_relaxed);
    }
    group_->run([this] { run_newest(); });
  }

  GivenTasks give() noexcept {
    GivenTasks given{};
    const std::lock_guard guard(lock_);
    const std::size_t count = std::min((tasks_.size() / bytes_ + 1) / 2, given.tasks.size() / bytes_);
    given.bytes = static_cast<std::uint32_t>(count * bytes_);
    std::copy_n(tasks_.begin(), given.bytes, given.tasks.begin());
    tasks_.erase(tasks_.begin(), tasks_.begin() + given.bytes);
    given.active = active_.fetch_sub(static_cast<std::int64_t>(count), std::memory_order_relaxed) !=
                   static_cast<std::int64_t>(count);
    return given;
  }

  void run(const BagPart& part, TaskBody body, void* function, std::span<const std::byte> first) {
    body_ = body;
    function_ = function;
    do {
      charm::task_group group;
      group_ = &group;
      for (; !first.empty(); first = first.subspan(bytes_)) add(first.data());
      group.wait();
    } while (part.steal && take_from_others(part, first));
  }

 private:
  void run_newest() {
    std::array<std::byte, most_task_bytes> task;
    {
      const std::lock_guard guard(lock_);
      if (tasks_.empty()) return;  // another rank has taken it
      std::copy(tasks_.end() - static_cast<std::ptrdiff_t>(bytes_), tasks_.end(), task.begin());
      tasks_.resize(tasks_.size() - bytes_);
    }
    try {
      body_(function_, task.data(), *this);
    } catch (...) {
      {
        const std::lock_guard guard(lock_);  // nobody takes more of them
        active_.fetch_sub(static_cast<std::int64_t>(tasks_.size() / bytes_), std::memory_order_relaxed);
        tasks_.clear();
      }
      active_.fetch_sub(1, std::memory_order_relaxed);
      throw;
    }
    active_.fetch_sub(1, std::memory_order_relaxed);
    if (steal_) poll();  // others may ask for their share
  }

  /// \param first gets what another rank gave. \return false if no rank has anything.
  bool take_from_others(const BagPart& part, std::span<const std::byte>& first) {
    for (auto pause = std::chrono::microseconds(5);; pause = std::min(2 * pause, std::chrono::microseconds(500))) {
      bool any_active = false;
      for (const int victim : ranks_by_distance()) {
        given_ = call(
            victim,
            [](std::uint64_t number) {
              return with(number, [](TaskBag* bag) { return bag != nullptr ? bag->give() : GivenTasks{}; });
            },
            part.number);
        first = std::span(given_.tasks).first(given_.bytes);
        if (!first.empty()) return true;
        any_active = any_active || given_.active;
      }
      if (!any_active) return false;
      charm::sleep_for(pause);
    }
  }

  const std::size_t bytes_;
  const bool steal_;
  TaskBody body_ = nullptr;
  void* function_ = nullptr;
  charm::task_group* group_ = nullptr;
  GivenTasks given_{};
  charm::detail::SpinLock lock_;
  std::vector<std::byte> tasks_;         // the oldest first
  std::atomic<std::int64_t> active_{0};  // those and the ones that run
};

void add_task(TaskBag& bag, const std::byte* task) { bag.add(task); }

void open_bag(const BagPart& part) { new TaskBag(part); }  // in the list; run_bag() ends it

void run_bag(const BagPart& part, TaskBody body, void* function, std::span<const std::byte> first) {
  const std::unique_ptr<TaskBag> own(part.steal ? TaskBag::find(part.number) : new TaskBag(part));
  // As run_part(): its tasks wait for room.
  in_called_function.with(false, [&] { own->run(part, body, function, first); });
}

}  // namespace charm::remote::detail
