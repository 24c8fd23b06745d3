// Loops over whole arrays. An executor that knows where memory lies has more members than the concept asks for:
//  - place(memory) and array_placement(): where the arrays of its kernels lie;
//  - for_parts(size, grain, f) and reduce_parts(size, grain, identity, f, combine): loops over [0, size) that run each
//    part on the workers whose node its pages are on, as far as these are free.
// On every other executor these are the plain loops and plain arrays.
#pragma once

#include <utility>

#include "workloads/array_placement.hpp"
#include "workloads/executor/concept.hpp"

namespace charm::workloads {

template <class E>
concept Placing = Executor<E> && requires(E& e, Index i) {
  e.place(Memory::partitioned);
  { e.array_placement() } -> std::same_as<const ArrayPlacement&>;
  e.for_parts(i, i, probe::Block{});
  { e.reduce_parts(i, i, Index{}, probe::Fold{}, probe::Combine{}) } -> std::same_as<Index>;
};

template <Executor E>
const ArrayPlacement& array_placement_of(E& e) {
  if constexpr (Placing<E>) {
    return e.array_placement();
  } else {
    static const ArrayPlacement none;
    return none;
  }
}

/// Sets the placement of arrays that are made from now on.
template <Executor E>
void place_arrays(E& e, Memory memory) {
  if constexpr (Placing<E>) e.place(memory);
}

template <Executor E, class F>
void for_parts(E& e, Index size, Index grain, F&& f) {
  if constexpr (Placing<E>)
    e.for_parts(size, grain, std::forward<F>(f));
  else
    e.parallel_for(0, size, grain, std::forward<F>(f));
}

template <Executor E, class T, class F, class C>
T reduce_parts(E& e, Index size, Index grain, T identity, F&& f, C&& combine) {
  if constexpr (Placing<E>)
    return e.reduce_parts(size, grain, identity, std::forward<F>(f), std::forward<C>(combine));
  else
    return e.parallel_reduce(0, size, grain, identity, std::forward<F>(f), std::forward<C>(combine));
}

}  // namespace charm::workloads
