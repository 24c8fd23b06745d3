// The programs on dispenso, through its task sets. Compiled where CMake finds an installed dispenso.
#include <dispenso/parallel_for.h>
#include <dispenso/task_set.h>
#include <dispenso/thread_pool.h>

#include "program_cases.hpp"

namespace charm::bench {
namespace {

struct Dispenso {
  static constexpr const char* name = "dispenso";
  /// The thread that runs a program helps while it waits, so it is one of them.
  explicit Dispenso(int workers) : own_(static_cast<std::size_t>(workers - 1)) { pool = &own_; }
  template <class F>
  void run(F&& f) {
    f();
  }
  template <class F, class G>
  static void fork(F&& f, G&& g) {
    dispenso::TaskSet set(*pool);
    set.schedule([&g] { g(); });
    f();
    set.wait();
  }
  struct Group {
    template <class F>
    void run(F&& f) {
      set.schedule(std::forward<F>(f));
    }
    void wait() { set.wait(); }
    dispenso::TaskSet set{*pool};
  };
  template <class F>
  static void loop(std::int64_t first, std::int64_t last, std::int64_t grain, F&& f) {
    dispenso::TaskSet set(*pool);
    dispenso::parallel_for(set, dispenso::makeChunkedRange(first, last, grain),
                           [&f](std::int64_t low, std::int64_t high) { f(low, high); });
  }

 private:
  static inline dispenso::ThreadPool* pool = nullptr;  // tasks ask for it where CHARM's ask for the runtime
  dispenso::ThreadPool own_;
};

}  // namespace

void add_dispenso(Cases& cases) {
  add_fork_programs<Dispenso>(cases);
  add_group_programs<Dispenso>(cases);
}

}  // namespace charm::bench
