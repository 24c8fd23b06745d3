// The kernel's operations on pages, as an interface: mapping, placing, and querying where they are. Tests replace it by
// a machine with many nodes, or by a container that refuses the calls.
#pragma once

#include <cstddef>
#include <span>

#include "base/id_sets.hpp"
#include "os/memory/memory_policy.hpp"

namespace charm::os {

class PageSystem {
 public:
  PageSystem() = default;
  virtual ~PageSystem() = default;
  PageSystem(const PageSystem&) = delete;
  PageSystem& operator=(const PageSystem&) = delete;

  [[nodiscard]] virtual std::size_t page_bytes() const noexcept = 0;
  [[nodiscard]] virtual std::size_t huge_page_bytes() const noexcept = 0;
  /// What a node gives at once when memory is touched: a page, or a huge page where the kernel gives those to all
  /// programs.
  [[nodiscard]] virtual std::size_t touched_bytes() const noexcept { return page_bytes(); }
  /// Maps zeroed pages. \param reserved_huge take them from the pool of reserved huge pages. \return nullptr if there
  /// are none.
  virtual void* map(std::size_t bytes, bool reserved_huge) = 0;
  virtual void unmap(void* data, std::size_t bytes) noexcept = 0;
  /// Asks for transparent huge pages. \return 0 or an errno, as the next two functions do.
  virtual int advise_huge(void* data, std::size_t bytes) = 0;
  /// Sets the nodes from which pages that are touched from now on come. \param nodes OS numbers.
  virtual int place(void* data, std::size_t bytes, MemoryPolicy policy, const OsNodeSet& nodes) = 0;
  /// Stores the OS number of the node of each page, or a negative errno. \return 0, or an errno if the kernel refuses
  /// the query.
  virtual int nodes_of(std::span<const void* const> pages, std::span<int> nodes) = 0;
};

/// The real one. It has no state.
PageSystem& page_system();

}  // namespace charm::os
