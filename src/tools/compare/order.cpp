#include "tools/compare/order.hpp"

#include <algorithm>
#include <numeric>

#include "base/random.hpp"

namespace charm::compare {

std::vector<std::vector<std::size_t>> make_order(std::size_t programs, std::size_t rounds, std::uint64_t seed) {
  base::Random random(seed);
  std::vector<std::vector<std::size_t>> order;
  order.reserve(rounds);
  while (order.size() < rounds) {
    // A shuffled round and its rotations give each program each place once.
    std::vector<std::size_t> round(programs);
    std::iota(round.begin(), round.end(), std::size_t{0});
    random.shuffle(round);
    for (std::size_t turn = 0; turn < programs && order.size() < rounds; ++turn) {
      order.push_back(round);
      std::rotate(round.begin(), round.begin() + 1, round.end());
    }
  }
  // All rounds are shuffled at once: if neighbours were balanced (AB BA AB BA), a machine that oscillates as fast would
  // favour one program.
  random.shuffle(order);
  return order;
}

}  // namespace charm::compare
