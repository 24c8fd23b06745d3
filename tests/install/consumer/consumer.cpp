// A C++ program against an installed CHARM: starts the runtime, works on it, reads the machine back, and an exception
// of the library is caught as one of its own family.
#include <charm/charm.hpp>

#include <cstdint>
#include <cstdio>

int main() {
  charm::init();
  constexpr std::int64_t count = 1'000'000;
  const std::int64_t sum = charm::run([] {
    return charm::parallel_reduce(
        std::int64_t{0}, count, std::int64_t{0},
        [](std::int64_t first, std::int64_t last, std::int64_t acc) {
          for (std::int64_t i = first; i < last; ++i) acc += i;
          return acc;
        },
        [](std::int64_t a, std::int64_t b) { return a + b; });
  });
  const bool placed = charm::machine().cores.size() > 0 && charm::num_workers() > 0;
  charm::finalize();

  bool refused = false;
  try {
    charm::finalize();
  } catch (const charm::Error& error) {
    refused = error.code() == charm::Errc::not_running;
  }
  const bool ok = sum == count * (count - 1) / 2 && placed && refused;
  std::printf("consumer: %s\n", ok ? "ok" : "wrong");
  return ok ? 0 : 1;
}
