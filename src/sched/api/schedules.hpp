// The schedules of a loop over `count` indices; charm::Schedule says what each is for.
#pragma once

#include <charm/detail/loop_body.hpp>

#include <cstdint>

namespace charm::detail {

/// \param grain as in LoopOptions. May throw std::bad_alloc before anything has run; what a body throws stops the loop
/// through `loop`.
void for_static(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body);
void for_dynamic(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body);
void for_affine(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body);

/// Calls `body` for [low, high) in chunks on this worker, which answers requests meanwhile; stops if the loop is
/// stopped.
void run_in_chunks(std::int64_t low, std::int64_t high, Chunk& chunk, FailScope& loop, const LoopBody& body);

}  // namespace charm::detail
