// Prefix sums are those of the sequential program, for operations that only have to be associative.
#include <cstdint>
#include <functional>
#include <numeric>
#include <rapidcheck.h>
#include <string>
#include <vector>

#include "algorithms/runtimes.hpp"
#include "thorough.hpp"

namespace {

using Scan = OnShapes;
INSTANTIATE_TEST_SUITE_P(Shapes, Scan, shapes());

// Of the size of many elements, so that a few hundred of them make several rounds of blocks. x -> a x + b (mod 2^64):
// composition is associative, not commutative.
struct Affine {
  std::uint64_t a = 1;
  std::uint64_t b = 0;
  char filler[4096 - 16] = {};
  friend bool operator==(const Affine& x, const Affine& y) { return x.a == y.a && x.b == y.b; }
};
Affine then(const Affine& f, const Affine& g) { return {f.a * g.a, f.b * g.a + g.b, {}}; }

std::vector<Affine> some_affine(int count) {
  std::vector<Affine> values(static_cast<std::size_t>(count));
  std::uint64_t x = 1;
  for (Affine& value : values) {
    x = x * 6364136223846793005 + 1442695040888963407;
    value.a = x | 1;
    value.b = x >> 7;
  }
  return values;
}

TEST_P(Scan, ComposesInOrder) {
  EXPECT_TRUE(rc::check([] {
    auto count = *rc::gen::inRange<int>(0, charm::tests::thorough() ? 2500 : 600);
    auto in_place = *rc::gen::arbitrary<bool>();
    const std::vector<Affine> in = some_affine(count);
    const Affine init{3, 5, {}};
    std::vector<Affine> expected(in.size());
    auto check = [&](auto&& parallel) {
      std::vector<Affine> out = in_place ? in : std::vector<Affine>(in.size());
      const std::vector<Affine>& source = in_place ? out : in;
      auto end = parallel(source, out);
      RC_ASSERT(end == out.end());
      RC_ASSERT(out == expected);
    };
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), then);
    check([](auto& from, auto& to) { return charm::inclusive_scan(from.begin(), from.end(), to.begin(), then); });
    std::inclusive_scan(in.begin(), in.end(), expected.begin(), then, init);
    check(
        [&](auto& from, auto& to) { return charm::inclusive_scan(from.begin(), from.end(), to.begin(), then, init); });
    std::exclusive_scan(in.begin(), in.end(), expected.begin(), init, then);
    check(
        [&](auto& from, auto& to) { return charm::exclusive_scan(from.begin(), from.end(), to.begin(), init, then); });
  }));
}

TEST_P(Scan, SumsManyNumbers) {
  std::vector<std::int64_t> in(1'000'003);
  std::iota(in.begin(), in.end(), -500'000);
  std::vector<std::int64_t> expected(in.size());
  std::inclusive_scan(in.begin(), in.end(), expected.begin());
  std::vector<std::int64_t> out(in.size());
  charm::run([&] { charm::inclusive_scan(in.begin(), in.end(), out.begin()); });
  EXPECT_EQ(out, expected);
  std::exclusive_scan(in.begin(), in.end(), expected.begin(), std::int64_t{7});
  charm::exclusive_scan(in.begin(), in.end(), in.begin(), std::int64_t{7});
  EXPECT_EQ(in, expected);
}

TEST_P(Scan, KeepsTheTypeOfInit) {
  std::vector<std::int32_t> in(100'000, 1 << 20);
  std::vector<std::int64_t> out(in.size());
  charm::exclusive_scan(in.begin(), in.end(), out.begin(), std::int64_t{0});
  EXPECT_EQ(out.back(), std::int64_t{99'999} << 20);
}

TEST_P(Scan, ScansStrings) {
  std::vector<std::string> in(300, std::string(1000, 'x'));
  std::vector<std::string> out(in.size());
  charm::inclusive_scan(in.begin(), in.end(), out.begin());
  EXPECT_EQ(out.back().size(), 300'000U);
}

TEST_P(Scan, AnExceptionOfTheOperationLeavesIt) {
  std::vector<int> in(1'000'000, 1);
  EXPECT_THROW(charm::inclusive_scan(in.begin(), in.end(), in.begin(),
                                     [](int a, int b) {
                                       if (a == 30'000) throw std::range_error("enough");
                                       return a + b;
                                     }),
               std::range_error);
}

}  // namespace
