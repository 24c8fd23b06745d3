// The update stream of HPCC RandomAccess: x(0) = 1, x(k + 1) = 2 x(k) in GF(2)[x] modulo x^64 + x^2 + x + 1. x(k) is
// thus the k-th power of the polynomial "x", which is how a worker jumps to its own part of the stream without drawing
// the rest.
#pragma once

#include <cstdint>

namespace charm::workloads {

constexpr std::uint64_t next_update(std::uint64_t x) {
  constexpr std::uint64_t low_terms = 7;
  return (x << 1) ^ ((x >> 63) != 0 ? low_terms : 0);
}

constexpr std::uint64_t multiply_updates(std::uint64_t a, std::uint64_t b) {
  std::uint64_t product = 0;
  for (; b != 0; b >>= 1) {
    if ((b & 1) != 0) product ^= a;
    a = next_update(a);
  }
  return product;
}

/// x(k), in 64 steps.
constexpr std::uint64_t update_at(std::uint64_t k) {
  std::uint64_t power = 1;
  for (std::uint64_t square = 2; k != 0; k >>= 1) {
    if ((k & 1) != 0) power = multiply_updates(power, square);
    square = multiply_updates(square, square);
  }
  return power;
}

}  // namespace charm::workloads
