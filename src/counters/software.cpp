#include "counters/software.hpp"

#include <algorithm>
#include <ctime>

#include "os/machine/pressure.hpp"
#include "os/threads/affinity.hpp"

namespace charm::counters {

std::uint64_t now_ns() noexcept {
  timespec time{};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

Pressure read_pressure(const std::string& root) {
  const auto cpu = os::stall_time_us("cpu", root);
  const auto memory = os::stall_time_us("memory", root);
  return {cpu.value_or(0), memory.value_or(0), cpu.has_value()};
}

SoftwareSignals::SoftwareSignals(const std::shared_ptr<os::PerfEvents>& perf) {
  if (perf != nullptr) {
    Planned migrations;
    migrations.event = {PERF_TYPE_SOFTWARE, PERF_COUNT_SW_CPU_MIGRATIONS, 0, true};
    EventGroup::Failure failure;
    events_ = EventGroup::open(perf, {migrations}, failure);
  }
  cpu_ = os::current_cpu();
  first_faults_ = os::ThreadUsage::page_faults();
  first_waiting_ = usage_.waiting_ns();
}

Measured SoftwareSignals::measured() const {
  Measured has;
  has.page_faults = true;
  has.migrations = true;
  has.waiting = usage_.knows_waiting();
  return has;
}

void SoftwareSignals::forget_pages() noexcept {
  if (events_ != nullptr) events_->forget_pages();
}

void SoftwareSignals::refresh() noexcept {
  faults_ = std::max(faults_, os::ThreadUsage::page_faults() - first_faults_);
  const std::uint64_t waiting = usage_.waiting_ns();
  waiting_ = std::max(waiting_, waiting - std::min(first_waiting_, waiting));
  if (events_ != nullptr) {
    events_->read({&migrated_, 1});
    migrations_ = static_cast<std::uint64_t>(migrated_);
  } else if (const int cpu = os::current_cpu(); cpu != cpu_) {
    ++migrations_;
    cpu_ = cpu;
  }
}

void SoftwareSignals::fill(Reading& reading) noexcept {
  if (reading.time_ns - asked_ns_ >= fresh_ns) {
    asked_ns_ = reading.time_ns;
    refresh();
  }
  reading.page_faults = faults_;
  reading.migrations = migrations_;
  reading.waiting_ns = waiting_;
}

}  // namespace charm::counters
