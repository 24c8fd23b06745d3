// The programs on Taskflow, through its task groups. Compiled where CHARM_PEER_INCLUDE has taskflow/taskflow.hpp.
#include <taskflow/taskflow.hpp>

#include "program_cases.hpp"

namespace charm::bench {
namespace {

struct Taskflow {
  static constexpr const char* name = "taskflow";
  explicit Taskflow(int workers) : own_(static_cast<std::size_t>(workers)) { executor = &own_; }
  template <class F>
  void run(F&& f) {
    own_.async([&f] { f(); }).get();
  }
  template <class F, class G>
  static void fork(F&& f, G&& g) {
    tf::TaskGroup group = executor->task_group();
    group.silent_async([&g] { g(); });
    f();
    group.corun();
  }
  struct Group {
    template <class F>
    void run(F&& f) {
      group.silent_async(std::forward<F>(f));
    }
    void wait() { group.corun(); }
    tf::TaskGroup group{executor->task_group()};
  };
  template <class F>
  static void loop(std::int64_t first, std::int64_t last, std::int64_t grain, F&& f) {
    tf::TaskGroup group = executor->task_group();
    for (std::int64_t low = first; low < last; low += grain) {
      const std::int64_t high = low + grain < last ? low + grain : last;
      group.silent_async([&f, low, high] { f(low, high); });
    }
    group.corun();
  }

 private:
  static inline tf::Executor* executor = nullptr;  // tasks ask for it where CHARM's ask for the runtime
  tf::Executor own_;
};

}  // namespace

void add_taskflow(Cases& cases) {
  add_fork_programs<Taskflow>(cases);
  add_group_programs<Taskflow>(cases);
}

}  // namespace charm::bench
