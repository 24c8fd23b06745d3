// What the kernels of several ranks agree on. All ranks call these together, in the same order.
#pragma once

#include <charm/remote.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstddef>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "workloads/array.hpp"
#include "workloads/ranks/division.hpp"

namespace charm::workloads {

template <class T>
T sum_of_ranks(T mine) {
  return remote::reduce(mine, std::plus<>());
}

/// Seconds from the moment when all ranks begin until the last has ended and all messages have run.
template <class F>
double seconds_of_ranks(F&& f) {
  remote::barrier();
  const auto start = std::chrono::steady_clock::now();
  f();
  remote::barrier();
  const std::chrono::duration<double> taken = std::chrono::steady_clock::now() - start;
  return remote::reduce(taken.count(), [](double a, double b) { return std::max(a, b); });
}

/// Copies each rank's part of an array to all others.
/// \param shrink how many elements of the division make one of the array: 64 for a bitmap.
template <class T>
void share_parts(Array<T>& whole, const Division& division, Index shrink = 1) {
  for (int rank = 0; rank < remote::ranks(); ++rank) {
    const Index first = (division.begin(rank) + shrink - 1) / shrink;
    const Index last = (division.end(rank) + shrink - 1) / shrink;
    if (last > first)
      remote::broadcast(std::span<T>(whole.data() + first, static_cast<std::size_t>(last - first)), rank);
  }
}

/// The complaint of the first rank that has one, on all ranks; empty if none has.
inline std::string first_complaint(const std::string& mine) {
  using Text = std::array<char, 256>;
  Text text{};
  std::copy_n(mine.data(), std::min(mine.size(), text.size() - 1), text.data());
  const std::vector<Text> all = remote::gather(text);
  for (std::size_t rank = 0; rank < all.size(); ++rank)
    if (all[rank].front() != '\0') return "rank " + std::to_string(rank) + ": " + all[rank].data();
  return {};
}

}  // namespace charm::workloads
