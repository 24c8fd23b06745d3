// A tree of 10^8 leaves, ten to a node, each of which adds up its children's numbers: skynet [THREADS]
#include <array>
#include <cstdint>

#include "report.hpp"

namespace {

constexpr std::int64_t all_leaves = 100'000'000;

std::int64_t skynet(std::int64_t number, std::int64_t leaves) {
  if (leaves == 1) return number;
  const std::int64_t below = leaves / 10;
  std::array<std::int64_t, 10> sums{};
  charm::task_group group;
  for (std::size_t i = 0; i < sums.size(); ++i)
    group.run([&sums, i, number, below] { sums[i] = skynet(number + static_cast<std::int64_t>(i) * below, below); });
  group.wait();
  std::int64_t sum = 0;
  for (const std::int64_t each : sums) sum += each;
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const suite::Threads threads(argc, argv, 1);
  std::int64_t answer = 0;
  const long long us = suite::timed([&] { answer = charm::run([] { return skynet(0, all_leaves); }); });
  suite::expect(answer, all_leaves * (all_leaves - 1) / 2);
  suite::report("iteration_count: 1", us);
}
