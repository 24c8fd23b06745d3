// Memory on a chosen node: anonymous pages that are bound to one NUMA node, and queries where a page really lies. These
// are raw system calls, so that libnuma is not needed at run time. If the kernel or a sandbox forbids them the memory
// is allocated all the same, and its node is unknown.
#pragma once

#include <cstddef>

namespace charm::os {

class NodeMemory {
 public:
  /// \param node OS number; below 0: the node of the thread that touches a page first.
  /// \param huge asks for huge pages, so that measurements see caches and not page tables.
  /// \throws Error (system) if there is not that much memory.
  explicit NodeMemory(std::size_t bytes, int node = -1, bool huge = false);
  ~NodeMemory();
  NodeMemory(NodeMemory&& other) noexcept;
  NodeMemory(const NodeMemory&) = delete;
  NodeMemory& operator=(const NodeMemory&) = delete;
  NodeMemory& operator=(NodeMemory&&) = delete;

  [[nodiscard]] void* data() const { return data_; }
  [[nodiscard]] std::size_t bytes() const { return bytes_; }
  /// Whether the kernel accepted the binding.
  [[nodiscard]] bool bound() const { return bound_; }

 private:
  void* data_ = nullptr;
  std::size_t bytes_ = 0;
  bool bound_ = false;
};

/// Pages of the range that are touched from now on come from this node while it has memory. Returns false if the kernel
/// refuses. `data` must begin on a page boundary.
bool prefer_node(void* data, std::size_t bytes, int node) noexcept;

/// The node on which a page lies, found without touching the page.
struct PageHome {
  int node = -1;  ///< OS number; -1: not known
  int error = 0;  ///< the reason if it is not known: ENOENT the page has not been touched, EFAULT nothing is mapped
                  ///< there; else the kernel's error (EPERM, ENOSYS ...)
};
PageHome page_home(const void* address) noexcept;

/// OS number of the node on which the page of `address` lies; -1 if the kernel does not say. The page must have been
/// touched.
int home_of(const void* address);

}  // namespace charm::os
