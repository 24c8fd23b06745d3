#include "task_dag/costs.hpp"

#include "base/clock.hpp"

namespace charm::task_dag {

namespace {

struct Moment {
  std::uint64_t ticks = detail::ticks();
  std::int64_t ns = base::monotonic_ns();
};
const Moment& first_moment() noexcept {
  static const Moment first;
  return first;
}

}  // namespace

void start_clock() noexcept { first_moment(); }

double ns_per_tick() noexcept {
  const Moment& first = first_moment();
  Moment now;
  while (now.ns - first.ns < 1000000 || now.ticks <= first.ticks) now = Moment();
  return static_cast<double>(now.ns - first.ns) / static_cast<double>(now.ticks - first.ticks);
}

}  // namespace charm::task_dag
