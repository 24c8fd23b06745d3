// The kernel's own weights for interleaving pages over NUMA nodes (MPOL_WEIGHTED_INTERLEAVE, Linux 6.9): one number for
// each node, for the whole system, in sysfs. Since Linux 6.16 the kernel derives them from what the firmware says of
// the memories' bandwidth unless somebody has written others. They reach memory that no malloc does: heaps of the JVM
// and of Go, shared buffers, mapped files, static programs.
#pragma once

#include <map>
#include <optional>
#include <string>

namespace charm::memory_traffic {

/// Parts of a whole by the system's number of each node.
using NodeParts = std::map<int, double>;

struct KernelWeights {
  std::map<int, int> of_node;     ///< 1 to 255, by the system's number of the node
  std::optional<bool> automatic;  ///< whether the kernel chooses them; nothing: this kernel does not
};

/// \param root where sysfs is looked for, for tests. \return nothing where this kernel has none, or does not show them.
std::optional<KernelWeights> read_kernel_weights(const std::string& root = "/");

/// \param weights nodes that are not in it keep theirs; its numbers are not written where the kernel takes the choice
/// back. \throws Error (system) that names the file and the reason.
void write_kernel_weights(const KernelWeights& weights, const std::string& root = "/");

/// The smallest whole numbers, 1 to 32, whose proportions are near those of `parts`: no part is off by more than a
/// hundredth if such numbers exist, else the nearest ones. Parts of zero are left out, since the kernel knows no zero.
std::map<int, int> whole_weights(const NodeParts& parts);

/// What each node of `nodes` gets of pages that are interleaved by these weights over all of `nodes`; a node that the
/// kernel does not name counts as one.
NodeParts parts_by(const std::map<int, int>& weights, const NodeParts& nodes);

/// The largest difference between two parts of the same node.
double largest_difference(const NodeParts& a, const NodeParts& b);

/// "node 0 75 %, node 1 25 %".
std::string to_text(const NodeParts& parts);

}  // namespace charm::memory_traffic
