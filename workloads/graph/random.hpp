// Random numbers that are functions of a position: number `i` of stream `seed` can be asked for by any worker in any
// order, so that what is generated does not depend on how the work was divided. The mixing is that of SplitMix64
// (Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014).
#pragma once

#include <cstdint>

namespace charm::workloads {

constexpr std::uint64_t mix(std::uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9U;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebU;
  return x ^ (x >> 31);
}

constexpr std::uint64_t random_at(std::uint64_t seed, std::uint64_t i) {
  return mix(seed + (i + 1) * 0x9e3779b97f4a7c15U);
}

}  // namespace charm::workloads
