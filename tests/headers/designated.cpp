// Options are given by the names of their fields, and what is left out gives no warning (-Wmissing-field-initializers
// is a part of -Wextra). This file is only compiled, with warnings as errors.
#include <charm/charm.hpp>

namespace {

[[maybe_unused]] void gives_options() {
  charm::init({.workers = 4});
  const charm::Config config{.policy = "local", .bind = "chiplet"};
  charm::init(config);
  charm::parallel_for(0, 10, [](int) {}, {.schedule = charm::Schedule::affine});
  charm::parallel_for(charm::range2d{0, 3, 0, 4}, [](const charm::range2d&) {}, {.columns = 2});
  charm::parallel_reduce(
      0, 10, 0L, [](int, int, long sum) { return sum; }, [](long a, long b) { return a + b; }, {.deterministic = true});
  [[maybe_unused]] const charm::MemoryOptions memory{.huge = charm::HugePages::advised};
  [[maybe_unused]] const charm::PageRun run{.bytes = 4096};
}

}  // namespace
