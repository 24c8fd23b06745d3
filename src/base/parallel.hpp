// Independent pieces of work on several threads. Which thread does what changes nothing: pieces share no state, and
// results lie in the order of the pieces.
#pragma once

#include <cstddef>
#include <functional>

namespace charm::base {

/// work(0) … work(count - 1), `jobs` at a time; 0: as many as there are cpus. Of the exceptions the one of the first
/// piece is thrown, after all have ended.
void for_each_piece(std::size_t count, int jobs, const std::function<void(std::size_t)>& work);

}  // namespace charm::base
