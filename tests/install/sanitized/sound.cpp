// A program without races, with plain variables that tasks hand to each other in every way that the library has.
#include <charm/charm.hpp>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <mutex>
#include <numeric>
#include <optional>
#include <thread>
#include <vector>

namespace {

using namespace std::chrono_literals;

charm::task<long> fib(int n) {
  if (n < 2) co_return n;
  auto [a, b] = co_await charm::when_all(fib(n - 1), fib(n - 2));
  co_return a + b;
}

bool waits() {
  long shared = 0;
  charm::mutex mutex;
  charm::channel<int> there(0);
  charm::channel<int> back(2);
  charm::task_group group;
  for (int i = 0; i < 50; ++i) {
    group.run([&] {
      for (int k = 0; k < 20; ++k) {
        std::lock_guard lock(mutex);
        if (k % 5 == 0) charm::yield();
        ++shared;
      }
    });
  }
  auto echo = charm::async([&] {
    while (std::optional<int> value = there.recv()) back.send(*value + 1);
    back.close();
  });
  long sum = 0;
  auto collect = charm::async([&] {
    while (std::optional<int> value = back.recv()) sum += *value;
  });
  for (int i = 0; i < 100; ++i) there.send(i);
  there.close();
  echo.get();
  collect.get();
  group.wait();
  charm::sleep_for(1ms);
  const int seven = charm::blocking([] { return 7; });
  return shared == 1000 && sum == 5050 && seven == 7;
}

}  // namespace

int main() {
  charm::init({.workers = 2, .share_cores = true});
  bool right = charm::run(waits);
  std::vector<int> numbers(100'000);
  charm::parallel_for(std::size_t{0}, numbers.size(),
                      [&](std::size_t i) { numbers[i] = static_cast<int>((i * 7919) % 100'003); });
  charm::sort(numbers.begin(), numbers.end());
  right = right && std::is_sorted(numbers.begin(), numbers.end());
  right = right && charm::sync_wait(fib(12)) == 144;
  long from_outside = 0;
  std::thread outside([&] { from_outside = charm::run([] { return charm::call(1, [] { return 3L; }); }); });
  outside.join();
  right = right && from_outside == 3;
  charm::finalize();
  std::puts(right ? "sound: ok" : "sound: wrong");
  return right ? 0 : 1;
}
