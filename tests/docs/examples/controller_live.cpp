// The example of docs/controller.md that talks to the running runtime, with rows to count.
#include <charm/charm.hpp>

#include <cstdio>

int main() {
  charm::init();
  charm::run([] {
    const double rows = 100;
#include "controller_1.inc"
  });
  charm::finalize();
  return 0;
}
