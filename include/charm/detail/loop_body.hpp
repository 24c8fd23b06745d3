// The schedules that hand out large parts of a loop see its body through two pointers: a call more for each block, and
// one copy of their code in the library instead of one in every program for each of its loops.
#pragma once

#include <charm/detail/cancel_scope.hpp>
#include <charm/detail/loop.hpp>

#include <concepts>
#include <cstdint>

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

/// \param count how many indices. \param grain as in LoopOptions. May throw std::bad_alloc before anything has run;
/// what a body throws stops the loop through `loop`.
void for_static(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body);
void for_dynamic(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body);
void for_affine(std::int64_t count, std::int64_t grain, FailScope& loop, const LoopBody& body);

}  // namespace charm::detail
