// The order in which the programs run: in rounds, each program once in each round, in random order within the round.
// The order makes the comparison fair: whatever the machine does over time affects all programs alike, and, since the
// first one is chosen at random, a program that is compared with itself differs from itself in either direction alike.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace charm::compare {

/// The programs (0 to programs - 1) of each round. Each place in the round goes to each program equally often, as far
/// as the number of rounds allows.
std::vector<std::vector<std::size_t>> make_order(std::size_t programs, std::size_t rounds, std::uint64_t seed);

}  // namespace charm::compare
