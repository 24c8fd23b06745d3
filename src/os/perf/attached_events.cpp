#include "os/perf/attached_events.hpp"

#include <array>
#include <filesystem>
#include <iterator>
#include <system_error>
#include <unistd.h>

#include "os/files/set_aside.hpp"
#include "os/perf/perf_open.hpp"

namespace charm::os {
namespace {

class SystemAttachedEvents final : public AttachedEvents {
 public:
  int open(const PerfEvent& event, int tid, int cpu) override {
    perf_event_attr attributes = perf_attributes(event);
    return perf_open(attributes, tid, cpu, -1);
  }

  void close(int descriptor) override { ::close(descriptor); }

  bool read(int descriptor, Count& count) override {
    std::array<std::uint64_t, 3> words{};
    if (::read(descriptor, words.data(), sizeof words) != static_cast<ssize_t>(sizeof words)) return false;
    count = {words[0], words[1], words[2]};
    return true;
  }

  [[nodiscard]] std::size_t room() const override {
    std::error_code error;
    std::size_t open = 0;
    for (std::filesystem::directory_iterator at("/proc/self/fd", error), end; !error && at != end; at.increment(error))
      ++open;
    const std::size_t limit = reachable_file_limit();
    return limit > open ? limit - open : 0;
  }
};

}  // namespace

std::shared_ptr<AttachedEvents> system_attached_events() { return std::make_shared<SystemAttachedEvents>(); }

}  // namespace charm::os
