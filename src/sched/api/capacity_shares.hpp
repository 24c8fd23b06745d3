// Divides a range among workers in proportion to what their cores do in a second, so that on cores of several kinds all
// are done at the same time. Where all are alike, the parts are those of share_begin() (charm/detail/loop.hpp).
#pragma once

#include <charm/detail/loop.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <vector>

namespace charm::detail {

/// \param capacities of the workers, in the order of their parts. \returns where each part begins, and the end.
inline std::vector<std::int64_t> capacity_shares(std::int64_t count, const std::vector<int>& capacities) {
  const auto parts = static_cast<std::int64_t>(capacities.size());
  const bool alike =
      std::adjacent_find(capacities.begin(), capacities.end(), std::not_equal_to<>()) == capacities.end();
  std::vector<std::int64_t> begins;
  std::int64_t all = 0;
  for (const int capacity : capacities) all += capacity;
  std::int64_t before = 0;
  for (std::int64_t part = 0; part < parts; ++part) {
    __extension__ using Wide = __int128;
    begins.push_back(alike ? share_begin(count, part, parts)
                           : static_cast<std::int64_t>(static_cast<Wide>(count) * before / all));
    before += capacities[static_cast<std::size_t>(part)];
  }
  begins.push_back(count);
  return begins;
}

/// The capacities of cores; all the same on machines with one kind of cores, because favoured cores among these differ
/// by little, and not in the same way all the time. \param cores -1 for a worker that is not bound.
inline std::vector<int> capacities_of(const Machine& machine, const std::vector<int>& cores) {
  const auto& all = machine.cores;
  const bool one_kind = std::adjacent_find(all.begin(), all.end(),
                                           [](const Core& a, const Core& b) { return a.kind != b.kind; }) == all.end();
  std::vector<int> capacities;
  for (const int core : cores) {
    const bool known = core >= 0 && static_cast<std::size_t>(core) < all.size();
    capacities.push_back(one_kind || !known ? Core().capacity : all[static_cast<std::size_t>(core)].capacity);
  }
  return capacities;
}

}  // namespace charm::detail
