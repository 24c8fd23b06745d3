// Making and ending the jobs that live in job memory (detail/job_pool.hpp).
//
// The pools hand out blocks with the alignment of operator new. A job whose captures want more (a vector of AVX
// registers, a type of its own cache line) gets memory of its own from the aligned operator new: such jobs are rare and
// large, and pools of aligned blocks would cost all others half of their memory.
#pragma once

#include <charm/detail/job_pool.hpp>
#include <charm/detail/worker.hpp>

#include <cstddef>
#include <new>
#include <type_traits>
#include <utility>

namespace charm::detail {

/// Whether a block of the pools, or of operator new, is aligned well enough.
template <class T>
inline constexpr bool fits_pool = alignof(T) <= __STDCPP_DEFAULT_NEW_ALIGNMENT__;

/// \param worker the caller's; null: a thread that is no worker.
template <class T>
void* memory_for(WorkerBase* worker) {
  if constexpr (!fits_pool<T>)
    return ::operator new(sizeof(T), std::align_val_t{alignof(T)});
  else
    return worker != nullptr ? worker->pool.take(sizeof(T)) : JobPool::take_outside(sizeof(T));
}

/// \param home the worker that the memory was taken on; -1: the calling worker.
template <class T>
void give_memory_of(void* block, int home) noexcept {
  if constexpr (!fits_pool<T>)
    ::operator delete(block, std::align_val_t{alignof(T)});
  else
    give_job_memory(block, sizeof(T), home);
}

/// Makes a job, which notes in its member `home` whose pool it is from. Where its constructor throws (the copy of a
/// capture does) the memory is given back.
template <class T, class... Arguments>
T* make_job(WorkerBase* worker, Arguments&&... arguments) {
  void* block = memory_for<T>(worker);
  const int home = worker != nullptr ? worker->id : -1;
  T* job;
  if constexpr (std::is_nothrow_constructible_v<T, Arguments...>) {
    job = new (block) T(std::forward<Arguments>(arguments)...);
  } else {
    try {
      job = new (block) T(std::forward<Arguments>(arguments)...);
    } catch (...) {
      give_memory_of<T>(block, home);
      throw;
    }
  }
  job->home = home;
  return job;
}

/// Destroys what make_job made.
template <class T>
void end_job(T* job) noexcept {
  const int home = job->home;
  job->~T();
  give_memory_of<T>(job, home);
}

}  // namespace charm::detail
