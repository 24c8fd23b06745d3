// The data files that are built into the tool, so that it needs no folder of its own at run time.
#pragma once

#include <span>
#include <string_view>

namespace charm::sim {

struct Embedded {
  std::string_view name;
  std::string_view text;
};

std::span<const Embedded> embedded_machines();
std::span<const Embedded> embedded_graphs();
std::span<const Embedded> embedded_task_graphs();
std::span<const Embedded> embedded_queries();

}  // namespace charm::sim
