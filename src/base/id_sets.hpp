// Kinds of sets (charm/id_set.hpp) that only the library's own modules use.
#pragma once

#include <charm/id_set.hpp>

#include <string_view>

namespace charm {

namespace detail {
struct OsNodeKind {
  static constexpr std::string_view plural = "NUMA nodes";
};
struct CoreCpuKind {
  static constexpr std::string_view plural = "cores";
};
}  // namespace detail

/// NUMA nodes by the operating system's numbers (Node::os_index), as system calls take them; NodeSet has their ids.
using OsNodeSet = IdSet<detail::OsNodeKind>;

/// Cores, each by the number of its first cpu (Core::cpu). Unlike ids of cores, which count what one process may use,
/// these are the same for all programs on a machine. It says nothing of the other cpus of a core: binding/masks.hpp
/// finds them.
using CoreCpuSet = IdSet<detail::CoreCpuKind>;

}  // namespace charm
