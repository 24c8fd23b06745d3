#include <charm/detail/assert.hpp>

#include <cstdio>
#include <cstdlib>

void charm::detail::assertion_failed(const char* file, int line, const char* condition, const char* meaning) noexcept {
  std::fprintf(stderr, "charm: %s:%d: this must hold and does not: %s (%s)\n", file, line, meaning, condition);
  std::abort();
}
