#include "os/perf/perf_events.hpp"

#include <unistd.h>

#include <sys/mman.h>

#include "os/memory/stack_memory.hpp"
#include "os/perf/perf_open.hpp"

namespace charm::os {
namespace {

class SystemPerfEvents final : public PerfEvents {
 public:
  /// \param thread 0: whichever calls.
  explicit SystemPerfEvents(int thread) : thread_(thread) {}

  int open(const PerfEvent& event, int group) override {
    perf_event_attr attributes = perf_attributes(event);
    attributes.read_format |= PERF_FORMAT_GROUP;
#if defined(__aarch64__)
    // On Arm, user-space reads have to be requested for each event (kernel.perf_user_access). Where they are forbidden
    // the kernel opens the event without them.
    if (event.type != PERF_TYPE_SOFTWARE && event.type != PERF_TYPE_TRACEPOINT && (event.config1 & 2U) == 0) {
      attributes.config1 |= 2U;
      if (const int descriptor = perf_open(attributes, thread_, -1, group); descriptor >= 0) return descriptor;
      attributes.config1 = event.config1;
    }
#endif
    return perf_open(attributes, thread_, -1, group);
  }

  void close(int descriptor) override { ::close(descriptor); }

  std::size_t read(int descriptor, std::span<std::uint64_t> words) noexcept override {
    const ssize_t got = ::read(descriptor, words.data(), words.size_bytes());
    return got < 0 ? 0 : static_cast<std::size_t>(got) / sizeof(std::uint64_t);
  }

  const volatile perf_event_mmap_page* map(int descriptor) override {
    void* page = mmap(nullptr, page_bytes(), PROT_READ, MAP_SHARED, descriptor, 0);
    return page == MAP_FAILED ? nullptr : static_cast<const volatile perf_event_mmap_page*>(page);
  }

  void unmap(const volatile perf_event_mmap_page* page) override {
    munmap(const_cast<perf_event_mmap_page*>(page), page_bytes());
  }

  [[nodiscard]] bool counts_reader() const noexcept override { return thread_ == 0; }

  [[nodiscard]] std::uint64_t read_counter([[maybe_unused]] std::uint32_t index) const noexcept override {
#if defined(__x86_64__)
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("rdpmc" : "=a"(low), "=d"(high) : "c"(index));
    return (static_cast<std::uint64_t>(high) << 32U) | low;
#elif defined(__aarch64__)
    std::uint64_t value = 0;
    if (index == 31) {
      asm volatile("mrs %0, pmccntr_el0" : "=r"(value));
      return value;
    }
    // The number of a counter is part of the register's name. pmselr_el0 could select one at run time, but after a
    // context switch between selecting and reading another counter would be read.
    switch (index) {
#define CHARM_COUNTER(n)                                      \
  case n:                                                     \
    asm volatile("mrs %0, pmevcntr" #n "_el0" : "=r"(value)); \
    break;
      CHARM_COUNTER(0)
      CHARM_COUNTER(1)
      CHARM_COUNTER(2)
      CHARM_COUNTER(3)
      CHARM_COUNTER(4)
      CHARM_COUNTER(5)
      CHARM_COUNTER(6)
      CHARM_COUNTER(7)
      CHARM_COUNTER(8)
      CHARM_COUNTER(9)
      CHARM_COUNTER(10)
      CHARM_COUNTER(11)
      CHARM_COUNTER(12)
      CHARM_COUNTER(13)
      CHARM_COUNTER(14)
      CHARM_COUNTER(15)
      CHARM_COUNTER(16)
      CHARM_COUNTER(17)
      CHARM_COUNTER(18)
      CHARM_COUNTER(19)
      CHARM_COUNTER(20)
      CHARM_COUNTER(21)
      CHARM_COUNTER(22)
      CHARM_COUNTER(23)
      CHARM_COUNTER(24)
      CHARM_COUNTER(25)
      CHARM_COUNTER(26)
      CHARM_COUNTER(27)
      CHARM_COUNTER(28)
      CHARM_COUNTER(29)
      CHARM_COUNTER(30)
#undef CHARM_COUNTER
      default:
        break;
    }
    return value;
#else
    return 0;
#endif
  }

 private:
  int thread_;
};

}  // namespace

std::shared_ptr<PerfEvents> system_perf_events() { return std::make_shared<SystemPerfEvents>(0); }

std::shared_ptr<PerfEvents> perf_events_of(int thread) { return std::make_shared<SystemPerfEvents>(thread); }

}  // namespace charm::os
