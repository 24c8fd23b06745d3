// Relaxed atomic accesses to plain memory. Kernels read words that other workers may write at the same time (labels,
// distances, scores, the RandomAccess table) and are correct for any value that was ever there; these make that legal
// C++ at the price of a plain load or store.
#pragma once

#include <atomic>

namespace charm::workloads {

template <class T>
T load(const T& word) {
  return std::atomic_ref<T>(const_cast<T&>(word)).load(std::memory_order_relaxed);
}

template <class T>
void store(T& word, T value) {
  std::atomic_ref<T>(word).store(value, std::memory_order_relaxed);
}

template <class T>
T fetch_add(T& word, T value) {
  return std::atomic_ref<T>(word).fetch_add(value, std::memory_order_relaxed);
}

/// On failure `expected` becomes the present value.
template <class T>
bool exchange_if(T& word, T& expected, T value) {
  return std::atomic_ref<T>(word).compare_exchange_strong(expected, value, std::memory_order_relaxed);
}

/// True if `value` was smaller and is now there.
template <class T>
bool fetch_min(T& word, T value) {
  T seen = load(word);
  while (value < seen) {
    if (exchange_if(word, seen, value)) return true;
  }
  return false;
}

}  // namespace charm::workloads
