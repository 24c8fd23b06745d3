// The order in which the programs run: in rounds, each program once in each round, in random order within the round.
// The order makes the comparison fair: whatever the machine does over time affects all programs alike, and, since the
// order within a round is random, no program gains by its position.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

namespace charm::compare {

/// The programs (0 to programs - 1) of each round. Each place in the round goes to each program equally often, as far
/// as the number of rounds allows.
std::vector<std::vector<std::size_t>> make_order(std::size_t programs, std::size_t rounds, std::uint64_t seed);

}  // namespace charm::compare
