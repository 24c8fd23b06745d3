// Why the kernel gives no counters, in words, and what would help. Pure: from an errno and what stands between the
// process and the counters.
#pragma once

#include <string>

#include "os/perf_access.hpp"

namespace charm::counters {

struct Refusal {
  std::string why;
  std::string remedy;
};

Refusal explain(int error, const os::PerfAccess& access);

}  // namespace charm::counters
