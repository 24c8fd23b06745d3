// Searches that stop early: a factor of a number, and whether a table is sorted.
#include <charm/charm.hpp>

#include <cstdint>
#include <cstdio>
#include <numeric>
#include <ranges>
#include <vector>

int main() {
  charm::init();
  constexpr std::uint64_t number = 1'000'003ULL * 1'000'033ULL;
  const auto candidates = std::views::iota(std::uint64_t{2}, std::uint64_t{1'100'000});
  const auto factor = charm::parallel_find_if(candidates, [](std::uint64_t c) { return number % c == 0; });
  std::vector<int> table(1'000'000);
  std::iota(table.begin(), table.end(), 0);
  const auto places = std::views::iota(std::size_t{1}, table.size());
  const bool sorted = charm::all_of(places, [&](std::size_t i) { return table[i - 1] <= table[i]; });
  std::swap(table[500'000], table[500'001]);
  const bool unsorted = charm::any_of(places, [&](std::size_t i) { return table[i - 1] > table[i]; });
  charm::finalize();
  std::printf("%llu divides %llu\n", static_cast<unsigned long long>(*factor), static_cast<unsigned long long>(number));
  return *factor == 1'000'003 && sorted && unsorted ? 0 : 1;
}
