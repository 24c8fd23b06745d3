// The programs on citor: those of forks and loops, since its tasks are joined in the call that starts them. Compiled
// where CHARM_PEER_INCLUDE has citor/thread_pool.h.
#include <citor/thread_pool.h>

#include "program_cases.hpp"

namespace charm::bench {
namespace {

struct Citor {
  static constexpr const char* name = "citor";
  explicit Citor(int workers) : own_(static_cast<std::size_t>(workers)) { pool = &own_; }
  template <class F>
  void run(F&& f) {
    f();
  }
  template <class F, class G>
  static void fork(F&& f, G&& g) {
    pool->forkJoin<citor::HintsDefaults>(g, f);
  }
  template <class F>
  static void loop(std::int64_t first, std::int64_t last, std::int64_t grain, F&& f) {
    const std::int64_t blocks = (last - first + grain - 1) / grain;
    pool->parallelFor<citor::HintsDefaults>(
        0, static_cast<std::size_t>(blocks), [&](std::size_t low, std::size_t high) {
          for (auto b = static_cast<std::int64_t>(low); b < static_cast<std::int64_t>(high); ++b) {
            const std::int64_t begin = first + b * grain;
            f(begin, begin + grain < last ? begin + grain : last);
          }
        });
  }

 private:
  static inline citor::ThreadPool* pool = nullptr;
  citor::ThreadPool own_;
};

}  // namespace

void add_citor(Cases& cases) { add_fork_programs<Citor>(cases); }

}  // namespace charm::bench
