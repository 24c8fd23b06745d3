// A program whose argument is the amount of its work: that many thousand steps of a chain of multiplications, which no
// compiler can shorten and no cache can disturb. `charm compare` is tested with it.
#include <cstdint>
#include <cstdio>
#include <cstdlib>

int main(int count, char** words) {
  char* end = nullptr;
  const double thousands = count == 2 ? std::strtod(words[1], &end) : -1;
  if (end == nullptr || *end != '\0' || !(thousands >= 0)) {
    std::fputs("compare-spin: give the work, a number of thousand steps\n", stderr);
    return 2;
  }
  std::uint64_t x = 88172645463325252ULL;
  for (auto left = static_cast<std::uint64_t>(thousands * 1000); left > 0; --left)
    x = x * 6364136223846793005ULL + left;
  std::printf("%llu\n", static_cast<unsigned long long>(x));
  return 0;
}
