// Explains in words why the kernel provides no counters, and what would help. Pure: a function of an errno and of the
// process's access (os/perf/perf_access.hpp).
#pragma once

#include <string>

#include "os/perf/perf_access.hpp"

namespace charm::counters {

struct Refusal {
  std::string why;
  std::string remedy;
};

Refusal explain(int error, const os::PerfAccess& access);

}  // namespace charm::counters
