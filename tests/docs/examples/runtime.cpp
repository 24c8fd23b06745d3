// The example of docs/runtime.md, with the sum that it has to find.
#include <charm/charm.hpp>

#include <atomic>

int main() {
#include "runtime_1.inc"
  return squares == 332'833'500 ? 0 : 1;
}
