// The splittable random numbers of the Unbalanced Tree Search benchmark: a node is a SHA-1 digest, a child the digest
// of its parent and its index. Tree T1: geometric, fixed shape, b0 = 4, depth 10, seed 19; 4,130,071 nodes.
#pragma once

#include <array>
#include <bit>
#include <cmath>
#include <cstdint>

namespace charm::bench {

using UtsState = std::array<std::uint32_t, 5>;
constexpr int uts_most_children = 101;

/// SHA-1 (FIPS 180-4) of one short message of 32-bit words.
template <std::size_t words>
UtsState sha1(const std::array<std::uint32_t, words>& message) {
  static_assert(words <= 13, "one block");
  std::array<std::uint32_t, 80> w{};
  for (std::size_t i = 0; i < words; ++i) w[i] = message[i];
  w[words] = 0x80000000U;
  w[15] = static_cast<std::uint32_t>(words * 32);
  for (std::size_t i = 16; i < 80; ++i) w[i] = std::rotl(w[i - 3] ^ w[i - 8] ^ w[i - 14] ^ w[i - 16], 1);
  UtsState h{0x67452301U, 0xEFCDAB89U, 0x98BADCFEU, 0x10325476U, 0xC3D2E1F0U};
  auto [a, b, c, d, e] = h;
  for (std::size_t i = 0; i < 80; ++i) {
    std::uint32_t f = i < 20   ? (b & c) | (~b & d)
                      : i < 40 ? b ^ c ^ d
                      : i < 60 ? (b & c) | (b & d) | (c & d)
                               : b ^ c ^ d;
    std::uint32_t k = i < 20 ? 0x5A827999U : i < 40 ? 0x6ED9EBA1U : i < 60 ? 0x8F1BBCDCU : 0xCA62C1D6U;
    std::uint32_t next = std::rotl(a, 5) + f + e + k + w[i];
    e = d;
    d = c;
    c = std::rotl(b, 30);
    b = a;
    a = next;
  }
  return {h[0] + a, h[1] + b, h[2] + c, h[3] + d, h[4] + e};
}

/// The root: sixteen zero bytes and the seed.
inline UtsState uts_root(std::uint32_t seed) { return sha1(std::array<std::uint32_t, 5>{0, 0, 0, 0, seed}); }

inline UtsState uts_child(const UtsState& parent, int index) {
  return sha1(std::array<std::uint32_t, 6>{parent[0], parent[1], parent[2], parent[3], parent[4],
                                           static_cast<std::uint32_t>(index)});
}

/// Geometrically distributed with mean b0 = 4 above depth 10, where the tree ends.
inline int uts_children(const UtsState& node, int depth) {
  if (depth >= 10) return 0;
  const double p = 1.0 / (1.0 + 4.0);
  const double u = static_cast<double>(node[4] & 0x7fffffffU) / 2147483648.0;
  const int children = static_cast<int>(std::floor(std::log(1 - u) / std::log(1 - p)));
  return children < uts_most_children ? children : uts_most_children - 1;
}

// Tree T3: binomial, b0 = 2000, m = 8, q = 0.124875, seed 42; 4,112,897 nodes, 1,572 deep.
constexpr int uts_t3_family = 8;
inline int uts_t3_children(const UtsState& node, int depth) {
  if (depth == 0) return 2000;
  return static_cast<double>(node[4] & 0x7fffffffU) / 2147483648.0 < 0.124875 ? uts_t3_family : 0;
}

}  // namespace charm::bench
