#include "os/threads/thread_usage.hpp"

#include <cstddef>
#include <new>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>

#include "os/memory/stack_memory.hpp"

namespace charm::os {

ThreadUsage::ThreadUsage() : clock_("/proc/thread-self/schedstat"), knows_waiting_(clock_.read().has_value()) {}

std::uint64_t ThreadUsage::page_faults() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt) + static_cast<std::uint64_t>(usage.ru_majflt);
}

std::uint64_t ThreadUsage::switches() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_nvcsw) + static_cast<std::uint64_t>(usage.ru_nivcsw);
}

std::uint64_t ThreadUsage::waiting_ns() const noexcept { return clock_.read().value_or(ThreadTime{}).wait_ns; }

ForkDetector::ForkDetector() : process_(getpid()) {
  void* page = mmap(nullptr, page_bytes(), PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (page == MAP_FAILED) return;
#ifdef MADV_WIPEONFORK
  if (madvise(page, page_bytes(), MADV_WIPEONFORK) == 0) {
    page_ = new (page) std::atomic<std::uint32_t>(1);
    return;
  }
#endif
  munmap(page, page_bytes());
}

ForkDetector::~ForkDetector() {
  if (page_ != nullptr) munmap(const_cast<std::atomic<std::uint32_t>*>(page_), page_bytes());
}

bool ForkDetector::same_process() const noexcept {
  return page_ != nullptr ? page_->load(std::memory_order_relaxed) != 0 : getpid() == process_;
}

}  // namespace charm::os
