// How much the tests that try many cases try: few of them usually, all of them with -DCHARM_TEST_THOROUGH=ON, as
// scripts/test --full does. What they claim is the same.
#pragma once

#include <cstdlib>
#include <string_view>

namespace charm::tests {

inline bool thorough() {
  const char* value = std::getenv("CHARM_TEST_THOROUGH");
  return value != nullptr && std::string_view(value) == "1";
}

}  // namespace charm::tests
