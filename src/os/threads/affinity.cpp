#include "os/threads/affinity.hpp"

#include <cerrno>
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

CpuSet allowed_cpus_of(int thread) {
  for (int size = 1024; size <= (1 << 20); size *= 4) {
    CpuMask mask(size);
    if (sched_getaffinity(thread, mask.bytes(), mask.get()) != 0) {
      if (errno == EINVAL) continue;
      return {};
    }
    const auto count = static_cast<std::size_t>(CPU_COUNT_S(mask.bytes(), mask.get()));
    CpuSet cpus;
    for (int cpu = 0; cpus.size() < count; ++cpu) {
      if (CPU_ISSET_S(static_cast<unsigned>(cpu), mask.bytes(), mask.get())) cpus.insert(cpu);
    }
    return cpus;
  }
  return {};
}

int bind_thread(int thread, const CpuSet& cpus) {
  if (cpus.empty()) return EINVAL;
  CpuMask mask(cpus.back() + 1);
  for (int cpu : cpus) CPU_SET_S(static_cast<unsigned>(cpu), mask.bytes(), mask.get());
  return sched_setaffinity(thread, mask.bytes(), mask.get()) == 0 ? 0 : errno;
}

CpuSet allowed_cpus() { return allowed_cpus_of(0); }

bool bind_this_thread(const CpuSet& cpus) { return bind_thread(0, cpus) == 0; }

int current_cpu() { return sched_getcpu(); }

}  // namespace charm::os
