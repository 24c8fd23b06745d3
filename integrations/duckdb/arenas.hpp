// Gives each worker memory on its node for what DuckDB allocates while the worker runs its tasks.
//
// libduckdb brings a jemalloc, whose threads share four arenas per cpu in turns, wherever they run: a block that a
// thread of one node has freed may go to a thread of another node. Here a worker has an arena for each node on which it
// has run; the kernel takes new pages of the arena from the worker's node (setting memory_policy). Arenas are made when
// they are first needed and never destroyed, because DuckDB keeps blocks beyond the query that allocated them; a later
// attachment uses them again.
#pragma once

#include <atomic>

#include "duckdb/functions.hpp"

namespace charm::duckdb {

class Arenas {
 public:
  /// \param wanted false: nothing is ever done
  Arenas(const Functions& functions, bool wanted) noexcept
      : mallctl_(wanted ? functions.mallctl : nullptr), active_(mallctl_ != nullptr) {}

  /// Whether workers use arenas. Becomes false where jemalloc refuses to make one or to assign it.
  [[nodiscard]] bool active() const noexcept { return active_.load(std::memory_order_relaxed); }

  /// From now on the calling thread allocates from the arena of `worker` on the node where it runs. So does one of the
  /// program's threads after it has worked as worker 0, until it ends.
  void enter(int worker) noexcept;

 private:
  unsigned arena_of(int worker) noexcept;
  bool assign(unsigned arena) noexcept;

  decltype(Functions::mallctl) mallctl_;
  std::atomic<bool> active_;
};

}  // namespace charm::duckdb
