// A program in C++ that allocates before main() and after it, by every operator, and when there is no memory.
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <new>
#include <string>
#include <thread>
#include <vector>

#define EXPECT(condition)                                                          \
  do {                                                                             \
    if (!(condition)) {                                                            \
      std::fprintf(stderr, "%s:%d: not so: %s\n", __FILE__, __LINE__, #condition); \
      std::exit(1);                                                                \
    }                                                                              \
  } while (0)

namespace {

struct Global {
  std::map<std::string, std::vector<int>> made{{"early", std::vector<int>(3'000'000, 7)}};
  ~Global() {
    made["late"] = std::vector<int>(10);
    std::puts(made.size() == 2 ? "destroyed" : "lost");
  }
};
Global global;

struct alignas(256) Aligned {
  char bytes[1000];
};

int handler_calls = 0;
void handler() {
  if (++handler_calls == 3) std::set_new_handler(nullptr);
}

volatile std::size_t too_much = SIZE_MAX / 4;

template <class Allocate>
void expect_bad_alloc(Allocate allocate) {
  handler_calls = 0;
  std::set_new_handler(handler);
  bool thrown = false;
  try {
    allocate();
  } catch (const std::bad_alloc&) {
    thrown = true;
  }
  EXPECT(thrown);
  EXPECT(handler_calls == 3);
}

}  // namespace

int main() {
  EXPECT(global.made["early"].size() == 3'000'000);
  delete new int(5);
  delete[] new char[9 << 20];
  auto* aligned = new Aligned;
  EXPECT(reinterpret_cast<std::uintptr_t>(aligned) % 256 == 0);
  delete aligned;
  auto* many = new Aligned[10000];
  EXPECT(reinterpret_cast<std::uintptr_t>(many) % 256 == 0);
  delete[] many;
  void* sized = ::operator new(100);
  ::operator delete(sized, std::size_t{100});
  sized = ::operator new(9 << 20);
  ::operator delete(sized, std::size_t{9 << 20});
  sized = ::operator new(100, std::align_val_t{4096});
  ::operator delete(sized, 100, std::align_val_t{4096});
  EXPECT(::operator new(too_much, std::nothrow) == nullptr);
  EXPECT(::operator new[](too_much, std::align_val_t{64}, std::nothrow) == nullptr);
  void* quiet = ::operator new(5 << 20, std::align_val_t{1 << 16}, std::nothrow);
  EXPECT(reinterpret_cast<std::uintptr_t>(quiet) % (1 << 16) == 0);
  ::operator delete(quiet, std::align_val_t{1 << 16}, std::nothrow);
  expect_bad_alloc([] { ::operator delete(::operator new(too_much)); });
  expect_bad_alloc([] { ::operator delete[](::operator new[](too_much, std::align_val_t{64}), std::align_val_t{64}); });

  std::vector<std::thread> threads;
  for (int i = 0; i < 4; ++i) {
    threads.emplace_back([i] {
      thread_local std::string own(1000 + i, 'x');
      std::vector<std::unique_ptr<std::string>> strings;
      for (int k = 0; k < 20000; ++k) strings.push_back(std::make_unique<std::string>(own, 0, k % 100));
    });
  }
  for (auto& thread : threads) thread.join();
  std::atexit([] { std::vector<double> late(2'000'000, 1.5); });
  std::puts("done");
}
