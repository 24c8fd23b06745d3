// The cost of a reading of a thread's counters by every method that this machine has: rdpmc, read(2), software signals,
// a replay; and beside them the bare system calls and a clock. The methods take turns in short runs. The output has the
// least, the median and the ninth decile of the runs, and the ratio of medians to the bare read(2).
//
// Without a PMU the method through the events' pages is run on imitated pages: all of CHARM's own work, without the
// rdpmc instruction (25 to 80 ns according to publications). The output says so.
#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <functional>
#include <memory>
#include <string>
#include <unistd.h>
#include <vector>

#include "counters/event_group.hpp"
#include "counters/recording.hpp"
#include "counters/software.hpp"
#include "counters/sources.hpp"

namespace {

using namespace charm::counters;
using charm::os::PerfEvents;

/// Keeps a value alive that nobody looks at.
template <class T>
void keep(const T& value) {
  asm volatile("" : : "r,m"(value) : "memory");
}

/// Pages as the kernel would show them, without a kernel.
class OwnPages final : public PerfEvents {
 public:
  int open(const charm::os::PerfEvent& event, int) override {
    return event.type == PERF_TYPE_SOFTWARE ? -EACCES : next_++;
  }
  void close(int) override {}
  std::size_t read(int, std::span<std::uint64_t>) noexcept override { return 0; }
  const volatile perf_event_mmap_page* map(int descriptor) override {
    auto& page = pages_[static_cast<std::size_t>(descriptor) % pages_.size()];
    page.cap_user_rdpmc = 1;
    page.pmc_width = 48;
    page.index = 1;
    return &page;
  }
  void unmap(const volatile perf_event_mmap_page*) override {}
  [[nodiscard]] std::uint64_t read_counter(std::uint32_t) const noexcept override { return ++value_; }

 private:
  std::array<perf_event_mmap_page, 64> pages_{};
  int next_ = 0;
  mutable std::uint64_t value_ = 0;
};

struct Way {
  std::string name;
  std::function<void()> once;
  std::vector<double> ns;
};

double at_quantile(std::vector<double> values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

void add_thread(std::vector<Way>& ways, const std::string& name, std::shared_ptr<ThreadCounters> thread) {
  ways.push_back({name, [thread] { keep(thread->read()); }, {}});
}

}  // namespace

int main(int argc, char** argv) {
  const int rounds = argc > 1 ? std::atoi(argv[1]) : 300;
  constexpr int calls = 500;
  const SourceContext around = source_context();
  std::vector<Way> ways;

  // The bare calls.
  ways.push_back({"clock_gettime", [] { keep(now_ns()); }, {}});
  const charm::os::PerfEvent faults{PERF_TYPE_SOFTWARE, PERF_COUNT_SW_PAGE_FAULTS, 0, false};
  const int descriptor = around.perf->open(faults, -1);
  std::array<std::uint64_t, 4> words{};
  if (descriptor >= 0) {
    ways.push_back({"read(2), one software event", [&] { keep(around.perf->read(descriptor, words)); }, {}});
  } else {
    std::printf("no perf events at all (errno %d): no bare read(2) to compare with\n", -descriptor);
  }

  // The same event through a group of ours.
  Planned planned;
  planned.event = faults;
  EventGroup::Failure failure;
  const std::shared_ptr<EventGroup> group = EventGroup::open(around.perf, {planned}, failure);
  double total = 0;
  if (group != nullptr) {
    ways.push_back({"a group by read(2)", [&, group] { keep(group->read({&total, 1})); }, {}});
  }

  // As many as the fill sources of a core are, so that the kernel's side of such a reading can be had without a PMU.
  std::vector<Planned> software;
  for (const std::uint64_t config :
       {PERF_COUNT_SW_PAGE_FAULTS, PERF_COUNT_SW_CONTEXT_SWITCHES, PERF_COUNT_SW_CPU_MIGRATIONS,
        PERF_COUNT_SW_PAGE_FAULTS_MIN, PERF_COUNT_SW_PAGE_FAULTS_MAJ, PERF_COUNT_SW_ALIGNMENT_FAULTS}) {
    Planned one;
    one.event = {PERF_TYPE_SOFTWARE, config, 0, false};
    software.push_back(one);
  }
  const std::shared_ptr<EventGroup> six_of_software = EventGroup::open(around.perf, software, failure);
  std::array<double, 6> six_totals{};
  if (six_of_software != nullptr) {
    ways.push_back({"a group of 6 software events by read(2)",
                    [&, six_of_software] { keep(six_of_software->read(six_totals)); },
                    {}});
  }

  const auto hardware = try_hardware(model_of(around.cpu), {2, 2, 2}, {}, around);
  if (hardware.source != nullptr) {
    const bool direct = hardware.source->describe().method == Description::Method::rdpmc;
    add_thread(ways, direct ? "hardware reading by rdpmc" : "hardware reading by read(2)",
               hardware.source->open_for_this_thread(0));
  } else {
    std::printf("no hardware counters: %s\n", hardware.refusal.why.c_str());
    SourceContext ours = around;
    ours.perf = std::make_shared<OwnPages>();
    const auto pages = try_hardware(model_named("zen4"), {2, 2, 2}, {}, ours);
    add_thread(ways, "reading of 6 events, own pages, no rdpmc", pages.source->open_for_this_thread(0));
    std::vector<Planned> six(6);
    const std::shared_ptr<EventGroup> group6 = EventGroup::open(ours.perf, six, failure);
    auto sums = std::make_shared<std::array<double, 6>>();
    ways.push_back({"  of it the group alone", [group6, sums] { keep(group6->read(*sums)); }, {}});
  }
  add_thread(ways, "software reading (system calls every 50 ms)", software_source(around, {})->open_for_this_thread(0));
  charm::os::ThreadUsage usage;
  ways.push_back({"page faults (getrusage)", [] { keep(charm::os::ThreadUsage::page_faults()); }, {}});
  ways.push_back({"waiting (schedstat)", [&] { keep(usage.waiting_ns()); }, {}});
  ways.push_back({"pressure (two files and the cgroup's name)", [] { keep(read_pressure()); }, {}});

  for (int round = 0; round < rounds; ++round) {
    for (Way& way : ways) {
      const auto start = std::chrono::steady_clock::now();
      for (int i = 0; i < calls; ++i) way.once();
      const std::chrono::duration<double, std::nano> took = std::chrono::steady_clock::now() - start;
      way.ns.push_back(took.count() / calls);
    }
  }

  double bare = 0;
  for (const Way& way : ways) {
    if (way.name.starts_with("read(2)")) bare = at_quantile(way.ns, .5);
  }
  std::printf("%d rounds in turns, %d calls each; ns a call\n", rounds, calls);
  std::printf("%-50s %9s %9s %9s %10s\n", "", "least", "median", "9th dec.", "/ read(2)");
  for (const Way& way : ways) {
    std::printf("%-50s %9.1f %9.1f %9.1f", way.name.c_str(), at_quantile(way.ns, 0), at_quantile(way.ns, .5),
                at_quantile(way.ns, .9));
    if (bare > 0) std::printf(" %10.2f", at_quantile(way.ns, .5) / bare);
    std::printf("\n");
  }
  if (descriptor >= 0) around.perf->close(descriptor);
  return 0;
}
