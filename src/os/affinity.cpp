#include "os/affinity.hpp"

#include <memory>
#include <sched.h>

namespace charm::os {
namespace {

/// A cpu_set_t of any size; the kernel says EINVAL to one that is too small for the machine.
class CpuMask {
 public:
  explicit CpuMask(int cpus)
      : cpus_(cpus), set_(CPU_ALLOC(static_cast<unsigned>(cpus)), [](cpu_set_t* s) { CPU_FREE(s); }) {
    CPU_ZERO_S(bytes(), get());
  }
  [[nodiscard]] std::size_t bytes() const { return CPU_ALLOC_SIZE(static_cast<unsigned>(cpus_)); }
  [[nodiscard]] cpu_set_t* get() const { return set_.get(); }
  [[nodiscard]] int cpus() const { return cpus_; }

 private:
  int cpus_;
  std::unique_ptr<cpu_set_t, void (*)(cpu_set_t*)> set_;
};

}  // namespace

std::vector<int> allowed_cpus() {
  for (int size = 1024; size <= (1 << 20); size *= 4) {
    CpuMask mask(size);
    if (sched_getaffinity(0, mask.bytes(), mask.get()) != 0) continue;
    std::vector<int> cpus;
    for (int cpu = 0; cpu < mask.cpus(); ++cpu) {
      if (CPU_ISSET_S(static_cast<unsigned>(cpu), mask.bytes(), mask.get())) cpus.push_back(cpu);
    }
    return cpus;
  }
  return {};
}

bool bind_this_thread(const std::vector<int>& cpus) {
  if (cpus.empty()) return false;
  int highest = 0;
  for (int cpu : cpus) highest = cpu > highest ? cpu : highest;
  CpuMask mask(highest + 1);
  for (int cpu : cpus) CPU_SET_S(static_cast<unsigned>(cpu), mask.bytes(), mask.get());
  return sched_setaffinity(0, mask.bytes(), mask.get()) == 0;
}

int current_cpu() { return sched_getcpu(); }

}  // namespace charm::os
