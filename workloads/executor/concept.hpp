// What a kernel requires of a runtime. Every kernel is written once, as a template over this concept, so that runtimes
// are compared on identical work. Rules that kernels keep and executors may rely on:
//  - everything below is called inside run(f), or inside a body that it started;
//  - a loop body gets any non-empty blocks that make up [first, last), in any order and on any worker;
//  - a loop body does not wait;
//  - worker() is in [0, workers()) and belongs to the calling body alone while the body runs.
#pragma once

#include <concepts>
#include <cstdint>

namespace charm::workloads {

using Index = std::int64_t;

namespace probe {  // callables that only serve to state the concept
struct Block {
  void operator()(Index, Index) const {}
};
struct Fold {
  Index operator()(Index, Index, Index accumulated) const { return accumulated; }
};
struct Combine {
  Index operator()(Index a, Index b) const { return a + b; }
};
struct Member {
  void operator()(int, int) const {}
};
struct Whole {
  void operator()() const {}
};
}  // namespace probe

template <class E>
concept Executor = requires(E& e, Index i) {
  { E::name } -> std::convertible_to<const char*>;
  { e.workers() } -> std::same_as<int>;
  { e.worker() } -> std::same_as<int>;
  e.run(probe::Whole{});                    ///< runs the callable as the root of parallel work, waits
  e.parallel_for(i, i, i, probe::Block{});  ///< first, last, grain, f(lo, hi)
  { e.parallel_reduce(i, i, i, Index{}, probe::Fold{}, probe::Combine{}) } -> std::same_as<Index>;
  e.team(probe::Member{});  ///< f(member, members), all at the same time; waits
  e.barrier();              ///< among the members of the enclosing team
};

}  // namespace charm::workloads
