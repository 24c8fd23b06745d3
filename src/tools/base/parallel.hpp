// Runs independent pieces of work on several threads. The result does not depend on which thread runs which piece:
// pieces share no state, and results are stored in the order of the pieces.
#pragma once

#include <cstddef>
#include <functional>

namespace charm::base {

/// Calls work(0) … work(count - 1), `jobs` at a time; 0: one for each cpu. After all have ended it rethrows the
/// exception of the first piece that threw.
void for_each_piece(std::size_t count, int jobs, const std::function<void(std::size_t)>& work);

}  // namespace charm::base
