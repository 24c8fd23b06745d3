// A kernel's perf events without the kernel: which events exist, how many fit, what the counters hold, whether there is
// rdpmc; all set by a test.
#pragma once

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <utility>
#include <vector>

#include "counters/sources.hpp"
#include "os/perf/perf_events.hpp"

namespace charm::counters {

class FakePerf final : public os::PerfEvents {
 public:
  struct Counter {
    os::PerfEvent event;
    int leader = -1;
    std::uint64_t value = 0;
    perf_event_mmap_page page{};
    int order = 0;        // of opening
    bool mapped = false;  // then it outlives its descriptor; it is found under a negative number
  };

  // What the kernel is like.
  std::size_t room = 8;                          // events that a group may have
  int refuse_all = 0;                            // errno
  std::map<std::uint64_t, int> refused_configs;  // of raw events
  bool maps = false;
  bool rdpmc = false;
  bool own = true;  // whether it counts the thread that reads
  std::uint64_t enabled = 0, running = 0;
  std::function<void(std::uint32_t)> on_read_counter;  // called before the value is given

  std::map<int, Counter> open_counters;
  std::map<std::uint32_t, std::uint64_t> core;  // what rdpmc finds
  int reads = 0;
  int opened_ever = 0;
  bool gives_nothing = false;
  std::function<void()> on_read;   // called at each reading by a system call
  std::function<int()> open_file;  // gives the descriptors, if there is one, or the negative errno
  std::function<void(int)> close_file;
  int pages = 0;             // mapped now
  int most_pages = 1 << 30;  // that may be

  int open(const os::PerfEvent& event, int group) override {
    if (event.type == PERF_TYPE_SOFTWARE) return -EACCES;
    if (refuse_all != 0) return -refuse_all;
    if (auto refused = refused_configs.find(event.config); event.type == 4 && refused != refused_configs.end())
      return -refused->second;
    if (group >= 0 && members(group).size() >= room) return -EINVAL;
    const int descriptor = open_file ? open_file() : 100 + opened_ever;
    if (descriptor < 0) return descriptor;
    ++opened_ever;
    open_counters[descriptor] = {event, group < 0 ? descriptor : group, 0, {}, opened_ever, false};
    auto& page = open_counters[descriptor].page;
    page.cap_user_rdpmc = rdpmc ? 1 : 0;
    page.pmc_width = 48;
    page.index = 0;
    return descriptor;
  }
  void close(int descriptor) override {
    if (close_file) close_file(descriptor);
    auto node = open_counters.extract(descriptor);
    if (node.empty() || !node.mapped().mapped) return;
    node.key() = -node.mapped().order;  // the page stays where it is
    open_counters.insert(std::move(node));
  }
  std::size_t read(int descriptor, std::span<std::uint64_t> words) noexcept override {
    ++reads;
    if (on_read) on_read();
    if (gives_nothing) return 0;
    const auto group = members(descriptor);
    words[0] = group.size();
    words[1] = enabled;
    words[2] = running;
    for (std::size_t i = 0; i < group.size(); ++i) words[3 + i] = open_counters[group[i]].value;
    return 3 + group.size();
  }
  const volatile perf_event_mmap_page* map(int descriptor) override {
    if (!maps || pages == most_pages) return nullptr;
    ++pages;
    open_counters[descriptor].mapped = true;
    return &open_counters[descriptor].page;
  }
  void unmap(const volatile perf_event_mmap_page* page) override {
    --pages;
    for (auto at = open_counters.begin(); at != open_counters.end(); ++at) {
      if (&at->second.page != page) continue;
      at->second.mapped = false;
      if (at->first < 0) open_counters.erase(at);
      return;
    }
  }
  [[nodiscard]] bool counts_reader() const noexcept override { return own; }
  [[nodiscard]] std::uint64_t read_counter(std::uint32_t index) const noexcept override {
    if (on_read_counter) on_read_counter(index);
    const auto found = core.find(index);
    return found == core.end() ? 0 : found->second;
  }

  [[nodiscard]] std::vector<int> members(int leader) const {
    std::vector<int> all;
    for (const auto& [descriptor, counter] : open_counters) {
      if (counter.leader == leader) all.push_back(descriptor);
    }
    std::sort(all.begin(), all.end(),
              [&](int a, int b) { return open_counters.at(a).order < open_counters.at(b).order; });
    return all;
  }
  /// Descriptors that are open.
  [[nodiscard]] int files() const {
    return static_cast<int>(
        std::count_if(open_counters.begin(), open_counters.end(), [](const auto& one) { return one.first >= 0; }));
  }
  /// The open counter of an event, by its config.
  Counter* counter(std::uint32_t type, std::uint64_t config, std::uint64_t config1 = 0) {
    for (auto& [descriptor, counter] : open_counters) {
      if (counter.event.type == type && counter.event.config == config && counter.event.config1 == config1)
        return &counter;
    }
    return nullptr;
  }
  /// Time passes with everything on a counter.
  void run(std::uint64_t ns) { enabled += ns, running += ns; }
};

struct FakeMachine {
  std::shared_ptr<FakePerf> perf = std::make_shared<FakePerf>();
  std::shared_ptr<std::uint64_t> time = std::make_shared<std::uint64_t>(1'000'000'000);

  [[nodiscard]] SourceContext around(const os::CpuIdentity& cpu = {"amd", 0x19, 0x11, 1}) const {
    return {perf, {}, cpu, [at = time] { return *at; }, "/nowhere/"};
  }
  void pass(std::uint64_t ns) { *time += ns, perf->run(ns); }
};

}  // namespace charm::counters
