#include "task_dag/idle_workers.hpp"

#include <bit>

namespace charm::task_dag {

using sched::Runtime;
using sched::Worker;
using stealing::Flag;

void reserve_idle_workers(Runtime& runtime, const Worker& from, std::size_t most,
                          std::vector<Worker*>& found) noexcept {
  found.clear();
  const stealing::WorkFlags& flags = runtime.places.flags;
  auto look_in = [&](int group) {
    for (int w = 0; w < flags.words(group); ++w) {
      auto idle = flags.word(Flag::member, group, w) & ~flags.word(Flag::busy, group, w);
      for (; idle != 0 && found.size() < most; idle &= idle - 1) {
        Worker* worker = runtime.places.worker_at({group, w * stealing::WorkFlags::word_bits + std::countr_zero(idle)});
        if (worker == nullptr || worker == &from || runtime.steering->rest(*worker) != sched::Rest::none) continue;
        if (!worker->reserved.exchange(true, std::memory_order_acq_rel)) found.push_back(worker);
      }
    }
  };
  const int home = from.place().group;
  look_in(home);
  for (const int group : runtime.places.distances.by_distance(home)) {
    if (found.size() >= most) return;
    look_in(group);
  }
}

}  // namespace charm::task_dag
