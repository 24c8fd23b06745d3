// Uses a header and the library of an installed CHARM.
#include <charm/error.hpp>

#include <cstdio>

int main() {
  try {
    throw charm::Error(charm::Errc::bad_input, "a", "b");
  } catch (const charm::Error& error) {
    std::puts("consumer: ok");
  }
}
