#include "os/thread_usage.hpp"

#include <array>
#include <charconv>
#include <cstddef>
#include <fcntl.h>
#include <new>
#include <unistd.h>

#include <sys/mman.h>
#include <sys/resource.h>

namespace charm::os {
namespace {
std::size_t page_bytes() { return static_cast<std::size_t>(sysconf(_SC_PAGESIZE)); }
}  // namespace

ThreadUsage::ThreadUsage() : schedstat_(open("/proc/thread-self/schedstat", O_RDONLY | O_CLOEXEC)) {
  std::array<char, 8> some{};
  if (schedstat_ >= 0 && pread(schedstat_, some.data(), some.size(), 0) <= 0) {
    close(schedstat_);
    schedstat_ = -1;
  }
}

ThreadUsage::~ThreadUsage() {
  if (schedstat_ >= 0) close(schedstat_);
}

std::uint64_t ThreadUsage::page_faults() noexcept {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  return static_cast<std::uint64_t>(usage.ru_minflt) + static_cast<std::uint64_t>(usage.ru_majflt);
}

std::uint64_t ThreadUsage::waiting_ns() const noexcept {
  std::array<char, 96> text{};  // "time on a cpu, time waiting, times scheduled"
  const ssize_t got = schedstat_ < 0 ? 0 : pread(schedstat_, text.data(), text.size(), 0);
  if (got <= 0) return 0;
  const char* const end = text.data() + got;
  std::uint64_t value = 0;
  const auto first = std::from_chars(text.data(), end, value);
  if (first.ec != std::errc() || first.ptr == end) return 0;
  value = 0;
  std::from_chars(first.ptr + 1, end, value);
  return value;
}

ForkMark::ForkMark() : process_(getpid()) {
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

ForkMark::~ForkMark() {
  if (page_ != nullptr) munmap(const_cast<std::atomic<std::uint32_t>*>(page_), page_bytes());
}

bool ForkMark::same_process() const noexcept {
  return page_ != nullptr ? page_->load(std::memory_order_relaxed) != 0 : getpid() == process_;
}

}  // namespace charm::os
