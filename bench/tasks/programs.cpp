// The whole programs on the runtimes of runtimes.hpp.
#include "cases.hpp"
#include "program_cases.hpp"
#include "runtimes.hpp"

namespace charm::bench {
namespace {

template <class R>
void add_for(Cases& cases) {
  add_fork_programs<R>(cases);
  add_group_programs<R>(cases);
  add_program<R>(cases, {"uts_t3", "ns/node", 4112897}, [] { return uts_t3<R>(uts_root(42), 0); });
}

}  // namespace

void add_programs(Cases& cases) {
  add_for<Serial>(cases);
  add_for<Charm>(cases);
#if defined(CHARM_BENCH_OPENMP)
  add_for<OpenMp>(cases);
#endif
#if defined(CHARM_BENCH_TBB)
  add_for<Tbb>(cases);
#endif
}

}  // namespace charm::bench
