// Work at the data: an array is partitioned among the workers, in the memory of their nodes, and each part is visited by
// the worker that it belongs to. Other work goes to a place by call().
#include <charm/charm.hpp>

#include <atomic>
#include <cstdio>
#include <numeric>

int main() {
  charm::init();
  charm::partitioned<double> values(1'000'000);
  charm::all_do([&](int worker) {  // one body on every worker
    for (double& value : values.part(static_cast<std::size_t>(worker))) value = worker + 1;
    charm::barrier();  // all have written
  });
  double expected = 0;
  for (std::size_t part = 0; part < values.parts(); ++part)
    expected += static_cast<double>(part + 1) * static_cast<double>(values.part(part).size());

  double sum = 0;
  for (int worker = 0; worker < charm::num_workers(); ++worker) {
    sum += charm::call(charm::on_worker{worker}, [&] {  // there; its value comes back
      const auto part = values.part(static_cast<std::size_t>(worker));
      return std::accumulate(part.begin(), part.end(), 0.0);
    });
  }

  // A counter for each chiplet, which its workers share.
  charm::per_chiplet<std::atomic<long>> visits;
  charm::parallel_for(0, 10'000, [&](int) { ++visits.local(); });
  long all = 0;
  visits.for_each([&](const std::atomic<long>& count) { all += count; });
  for (const int chiplet : charm::chiplets_with_workers())
    std::printf("chiplet %d: %ld visits\n", chiplet, visits.on(chiplet).load());
  charm::finalize();
  return sum == expected && all == 10'000 ? 0 : 1;
}
