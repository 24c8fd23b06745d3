// Without an mpirun the program is its only rank.
#include <charm/charm.hpp>
#include <charm/remote.hpp>

#include <cstdio>

int main() {
  charm::remote::init();
  const int answer = charm::run([] { return charm::remote::call(0, [](int n) { return 2 * n; }, 21); });
  std::printf("consumer on ranks: %s\n", answer == 42 ? "ok" : "wrong");
  charm::remote::finalize();
}
