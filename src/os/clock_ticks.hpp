// The unit of times in /proc.
#pragma once

#include <unistd.h>

namespace charm::os {

/// \return seconds.
inline double tick_s() {
  const long per_second = sysconf(_SC_CLK_TCK);
  return 1.0 / static_cast<double>(per_second > 0 ? per_second : 100);
}

}  // namespace charm::os
