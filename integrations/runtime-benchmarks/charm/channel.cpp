// Half of the threads' number of tasks send 10^7 numbers through one channel, as many receive: channel [THREADS]
#include <algorithm>
#include <atomic>
#include <cstdint>

#include "report.hpp"

namespace {

constexpr std::int64_t elements = 10'000'000;

std::int64_t sum_received(std::int64_t producers, std::int64_t consumers) {
  charm::channel<std::int64_t> channel(charm::channel<std::int64_t>::unbounded);
  std::atomic<std::int64_t> sum{0};
  charm::task_group sending, receiving;
  for (std::int64_t c = 0; c < consumers; ++c) {
    receiving.run([&] {
      std::int64_t mine = 0;
      while (const auto got = channel.recv()) mine += *got;
      sum += mine;
    });
  }
  for (std::int64_t p = 0; p < producers; ++p) {
    sending.run([&, p] {
      for (std::int64_t i = elements * p / producers; i < elements * (p + 1) / producers; ++i) channel.send(i);
    });
  }
  sending.wait();
  channel.close();
  receiving.wait();
  return sum;
}

}  // namespace

int main(int argc, char** argv) {
  const suite::Threads threads(argc, argv, 1);
  const std::int64_t each = std::max(1, charm::num_workers() / 2);
  std::printf("producers: %lld\nconsumers: %lld\n", static_cast<long long>(each), static_cast<long long>(each));
  std::int64_t answer = 0;
  const long long us = suite::timed([&] { answer = charm::run([each] { return sum_received(each, each); }); });
  suite::expect(answer, elements * (elements - 1) / 2);
  std::printf("output: %lld\n", static_cast<long long>(answer));
  suite::report("iteration_count: 1", us,
                "    elements: " + std::to_string(elements) +
                    "\n    elements/sec: " + std::to_string(elements * 1'000'000 / std::max(1LL, us)) + "\n");
}
