// Everything that switches stacks, for valgrind: tasks that wait, deep recursion, blocking code, many stacks at once.
#include <charm/charm.hpp>

#include <cstdio>
#include <vector>

namespace {

long sum_to(long n) {
  if (n == 0) return 0;
  long rest = 0;
  charm::invoke([&] { rest = sum_to(n - 1); }, [] {});
  return n + rest;
}

}  // namespace

int main() {
  charm::init({.workers = 2, .share_cores = true, .stack_bytes = std::size_t{64} << 10U});
  charm::channel<int> there(0);
  charm::channel<int> back(0);
  std::vector<charm::future<int>> echoes;
  for (int i = 0; i < 200; ++i) {
    echoes.push_back(charm::async([&] {
      const int value = there.recv().value();
      charm::yield();
      back.send(value + 1);
      return value;
    }));
  }
  long received = 0;
  auto collector = charm::async([&] {
    for (int i = 0; i < 200; ++i) received += back.recv().value();
  });
  for (int i = 0; i < 200; ++i) there.send(i);
  collector.get();
  for (auto& echo : echoes) echo.get();
  const long deep = charm::run([] { return sum_to(5000); });
  const int seven = charm::run([] { return charm::blocking([] { return 7; }); });
  charm::finalize();
  const bool right = received == 200 * 199 / 2 + 200 && deep == 5000L * 5001 / 2 && seven == 7;
  std::puts(right ? "right" : "wrong");
  return right ? 0 : 1;
}
