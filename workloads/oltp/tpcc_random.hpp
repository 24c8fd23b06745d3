// TPC-C's random values (clauses 2.1.6, 4.3.2 and 4.3.3).
#pragma once

#include <algorithm>
#include <array>
#include <string_view>

#include "workloads/oltp/random.hpp"
#include "workloads/oltp/tpcc_rows.hpp"

namespace charm::workloads::oltp {

/// NURand(A, x, y), where some values are drawn more often than others.
inline int not_uniform(Random& random, int a, int constant, int low, int high) {
  const auto drawn = (random.within(0, a) | random.within(low, high)) + constant;
  return static_cast<int>(drawn % (high - low + 1)) + low;
}

// The constants C: those of the last name differ by 66 between load and run, which clause 2.1.6.1 allows (65 to 119,
// but not 96 and 112).
inline constexpr int name_constant_of_load = 157;
inline constexpr int name_constant_of_run = 223;

inline int random_customer(Random& random, const TpccScale& scale) {
  return not_uniform(random, 1023, 259, 1, scale.customers);
}
inline int random_item(Random& random, const TpccScale& scale) {
  return not_uniform(random, 8191, 7911, 1, scale.items);
}
inline int random_name(Random& random, const TpccScale& scale, int constant) {
  return not_uniform(random, 255, constant, 0, scale.names() - 1);
}

/// A name of three syllables, from the digits of a number below 1000.
inline Text<16> last_name(int number) {
  static constexpr std::array<std::string_view, 10> syllables = {"BAR", "OUGHT", "ABLE",  "PRI",   "PRES",
                                                                 "ESE", "ANTI",  "CALLY", "ATION", "EING"};
  Text<16> name{};
  auto* at = name.begin();
  for (const int digit : {number / 100, number / 10 % 10, number % 10}) {
    const std::string_view syllable = syllables[static_cast<std::size_t>(digit)];
    at = std::copy(syllable.begin(), syllable.end(), at);
  }
  return name;
}

template <std::size_t N>
void fill(Text<N>& text, Random& random, std::size_t least = N) {
  text = {};
  const auto length = static_cast<std::size_t>(random.within(static_cast<std::int64_t>(least), N));
  for (std::size_t i = 0; i < length; ++i) text[i] = static_cast<char>('a' + random.below(26));
}

/// One in ten items and stocks has this word in its data.
template <std::size_t N>
void fill_data(Text<N>& text, Random& random) {
  constexpr std::string_view word = "ORIGINAL";
  fill(text, random, 26);
  if (random.below(10) == 0) std::copy(word.begin(), word.end(), text.begin() + random.within(0, 26 - 8));
}

}  // namespace charm::workloads::oltp
