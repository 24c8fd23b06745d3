// Sorts lines and counts how often each occurs: sort, parallel_reduce, inclusive_scan.
//   sort_lines [FILE]
#include <charm/charm.hpp>

#include <cstdio>
#include <fstream>
#include <string>
#include <vector>

int main(int count, char** arguments) {
  std::vector<std::string> lines;
  if (count > 1) {
    std::ifstream file(arguments[1]);
    for (std::string line; std::getline(file, line);) lines.push_back(line);
  } else {
    for (unsigned i = 0; i < 200'000; ++i) lines.push_back("line " + std::to_string(i * 7919U % 5000));
  }
  charm::init();
  charm::sort(lines);

  // Where a new line begins; their running count numbers the groups of equal lines.
  std::vector<std::size_t> group(lines.size());
  charm::parallel_for(std::size_t{1}, lines.size(), [&](std::size_t i) { group[i] = lines[i] != lines[i - 1] ? 1 : 0; });
  charm::inclusive_scan(group.begin(), group.end(), group.begin());
  const std::size_t distinct = lines.empty() ? 0 : group.back() + 1;
  std::vector<std::size_t> first(distinct + 1, lines.size());
  charm::parallel_for(std::size_t{0}, lines.size(), [&](std::size_t i) {
    if (i == 0 || group[i] != group[i - 1]) first[group[i]] = i;
  });
  const std::size_t most = charm::parallel_reduce(
      std::size_t{0}, distinct, std::size_t{0},
      [&](std::size_t low, std::size_t high, std::size_t sum) {
        for (std::size_t g = low; g < high; ++g) sum = std::max(sum, first[g + 1] - first[g]);
        return sum;
      },
      [](std::size_t a, std::size_t b) { return std::max(a, b); });
  charm::finalize();
  std::printf("%zu lines, %zu distinct, the most frequent %zu times\n", lines.size(), distinct, most);
  return count > 1 || (distinct == 5000 && most == 40) ? 0 : 1;
}
