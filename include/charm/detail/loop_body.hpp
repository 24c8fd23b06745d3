// The schedules see the body of a loop through two pointers: a call more for each chunk or block, and one copy of their
// code in the library instead of one in every program for each of its loops.
#pragma once

#include <charm/detail/loop.hpp>

#include <concepts>
#include <cstdint>

namespace charm {
struct LoopOptions;
}

namespace charm::detail {

/// A loop over `count` indices without its types. It stays where it is until the loop has ended.
struct LoopBody {
  void (*run)(const LoopBody& self, std::int64_t low, std::int64_t high);  ///< offsets from the first index
  const void* kind;                                                        ///< as kind_of_loop() has it
  bool takes_blocks;  ///< whether the user's body takes a block, and not one index

  void operator()(std::int64_t low, std::int64_t high) const { run(*this, low, high); }
};

template <class Index, class F>
struct LoopBodyOf : LoopBody {
  LoopBodyOf(Index b, F& f) noexcept
      : LoopBody{&LoopBodyOf::run_typed, kind_of_loop<Index, F>(), std::invocable<F&, Index, Index>},
        base(b),
        body(f) {}
  static void run_typed(const LoopBody& self, std::int64_t low, std::int64_t high) {
    const auto& typed = static_cast<const LoopBodyOf&>(self);
    run_block(typed.body, index_at(typed.base, low), index_at(typed.base, high));
  }
  Index base;
  F& body;
};

/// Runs the loop over `count` indices, on a worker if it is not begun on one. Errors as parallel_for.
void run_loop(std::uint64_t count, const LoopOptions& options, const LoopBody& body);

}  // namespace charm::detail
