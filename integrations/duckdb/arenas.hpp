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

  /// The calling thread allocates from the arena of `worker` while this lives. The thread may be one of the program's,
  /// which works as worker 0 for a moment, so it gets its own arena back.
  class Use {
   public:
    Use(Arenas& arenas, int worker) noexcept;
    ~Use();
    Use(const Use&) = delete;
    Use& operator=(const Use&) = delete;

   private:
    Arenas& arenas_;
    bool used_ = false;
    unsigned before_ = 0;
  };

 private:
  unsigned arena_of(int worker) noexcept;
  bool assign(unsigned arena, unsigned& before) noexcept;

  decltype(Functions::mallctl) mallctl_;
  std::atomic<bool> active_;
};

}  // namespace charm::duckdb
