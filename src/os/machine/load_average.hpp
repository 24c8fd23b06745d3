// /proc/loadavg: "0.1 0.2 0.3 2/345 6789".
#pragma once

#include <cstddef>
#include <optional>
#include <string>

namespace charm::os {

struct LoadAverage {
  double one_minute = 0;     ///< mean number of threads that ran, wanted to run, or waited for a disk
  std::size_t runnable = 0;  ///< threads that run or want to run now, including the caller
  int last_created = 0;      ///< id of the process or thread that was created last
};

/// Reads it; nothing if /proc does not say.
std::optional<LoadAverage> read_load_average(const std::string& root = "/");

}  // namespace charm::os
