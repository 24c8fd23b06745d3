// A program that is built in another way than the library: it is told so when it is linked, or by init().
#include <charm/runtime.hpp>

#include <cstdio>

int main() {
  try {
    charm::init();
    charm::finalize();
    std::puts("nobody has said anything");
  } catch (const charm::Error& error) {
    std::puts(error.what());
  }
}
