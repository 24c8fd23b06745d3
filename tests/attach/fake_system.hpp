// A program that is not there: threads with masks and appetites, as System shows them.
#pragma once

#include <algorithm>
#include <cerrno>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "tools/attach/system.hpp"

namespace charm::test {

class FakeProgram final : public attach::System {
 public:
  struct Thread {
    CpuSet mask;
    CpuSet asked;      // the mask that was last set by a call, of which the kernel grants what the cpuset leaves
    double share = 0;  // of a cpu that it wants and gets
    double run_s = 0, wait_s = 0;
    std::string name = "program";
    bool followed = true;
    int parent = 0;  // process
    int binds = 0;
    bool seen = false;  // at a search
  };

  explicit FakeProgram(CpuSet start_mask) : start_(std::move(start_mask)) {}

  /// \param parent whose mask it inherits; 0: the program's first.
  int start(double share, int parent = 0, int process = 1) {
    const int id = next_++;
    Thread thread;
    thread.mask = parent == 0 ? start_ : all.at({process_of(parent), parent}).mask;
    thread.asked = parent == 0 ? start_ : all.at({process_of(parent), parent}).asked;
    thread.share = share;
    thread.parent = parent == 0 ? process : process_of(parent);
    all[{process, id}] = thread;
    news_ = true;
    return id;
  }
  void end(int id) {
    ended_s_ += at(id).run_s;
    if (!at(id).seen && announced) ended_unseen_.push_back({process_of(id), id});
    all.erase({process_of(id), id});
  }
  /// Linux 6.2 and later remember what each thread has asked for; before, all get all that is granted.
  void set_cpuset(const CpuSet& cpus, bool remembers) {
    cpuset = cpus;
    for (auto& [id, thread] : all) {
      if (!remembers) thread.asked = cpus;
      const CpuSet left = thread.asked & cpus;
      thread.mask = left.empty() ? cpus : left;
    }
  }
  Thread& at(int id) { return all.at({process_of(id), id}); }
  /// A thread that may run on one cpu alone shares it with what other programs do there.
  void pass(double seconds) {
    constexpr double ticks = 1e6;
    std::map<int, double> busy = others;
    double wanted = 0;
    for (const auto& [id, thread] : all) wanted += thread.share;
    for (auto& [id, thread] : all) {
      double gets = wanted > cpus_worth ? thread.share * cpus_worth / wanted : thread.share;
      if (thread.mask.size() == 1) {
        const auto other = others.find(thread.mask.front());
        if (other != others.end()) gets /= std::max(1.0, gets + other->second);
        busy[thread.mask.front()] += gets;
      } else {
        for (const int cpu : thread.mask) busy[cpu] += gets / static_cast<double>(thread.mask.size());
      }
      thread.run_s += gets * seconds;
      thread.wait_s += (thread.share - gets) * seconds;
    }
    for (const int cpu : start_) {
      cpus_[cpu].total += static_cast<std::uint64_t>(seconds * ticks);
      cpus_[cpu].busy += static_cast<std::uint64_t>(std::min(1.0, busy[cpu]) * seconds * ticks);
    }
  }

  bool news() override { return std::exchange(news_, false); }
  /// Whether the descriptor is readable.
  [[nodiscard]] bool tells_news() const { return announced && news_; }
  [[nodiscard]] int announces() const override { return announced ? 0 : -1; }
  std::vector<attach::Found> threads() override {
    ++searches;
    std::vector<attach::Found> found;
    for (auto& [id, thread] : all) {
      thread.seen = true;
      found.push_back({id, thread.followed, thread.parent});
    }
    return found;
  }
  std::vector<attach::ThreadId> ended_unseen() override { return std::exchange(ended_unseen_, {}); }
  std::optional<os::ThreadTime> time(const attach::ThreadId& id) override {
    const auto found = all.find(id);
    if (found == all.end()) return std::nullopt;
    return os::ThreadTime{static_cast<std::uint64_t>(found->second.run_s * 1e9) + 1,
                          static_cast<std::uint64_t>(found->second.wait_s * 1e9)};
  }
  bool runnable(const attach::ThreadId& id) override {
    const auto found = all.find(id);
    return found != all.end() && found->second.share > 0.1;
  }
  std::string name(const attach::ThreadId& id) override {
    const auto found = all.find(id);
    return found == all.end() ? "" : found->second.name;
  }
  CpuSet mask(const attach::ThreadId& id) override {
    const auto found = all.find(id);
    return found == all.end() ? CpuSet{} : found->second.mask;
  }
  int bind(const attach::ThreadId& id, const CpuSet& cpus) override {
    const auto found = all.find(id);
    if (found == all.end()) return ESRCH;
    if (at_bind) at_bind(id);
    if (refused.contains(id.thread)) return EINVAL;
    const CpuSet granted = cpuset.empty() ? cpus : cpus & cpuset;
    if (granted.empty()) return EINVAL;
    found->second.asked = cpus;
    found->second.mask = granted;
    ++found->second.binds;
    if (cpus.size() == 1) {
      for (const auto& [other, thread] : all) {
        if (other != id && thread.mask == cpus) ++collisions;
      }
    }
    return 0;
  }
  double used() override {
    double seconds = ended_s_;
    for (const auto& [id, thread] : all) seconds += thread.run_s;
    return seconds;
  }
  double resident_bytes() override { return resident; }
  bool gathers() override { return kernel_gathers; }
  std::optional<attach::WorkReport> progress(double now) override {
    if (!done) return std::nullopt;
    return attach::WorkReport{*done, done_at.value_or(now), next_word};
  }
  std::map<int, os::CpuTime> cpu_times() override { return cpus_; }
  std::unique_ptr<counters::ThreadCounters> counters(const attach::ThreadId& id) override {
    if (!has_counters) return nullptr;
    return std::make_unique<Counters>(*this, id);
  }

  std::map<attach::ThreadId, Thread> all;
  std::map<int, double> others;                          // what other programs take of each cpu, 0 to 1
  std::function<void(const attach::ThreadId&)> at_bind;  // is called before a thread is bound
  std::set<int> refused;                                 // threads that the kernel binds no more
  CpuSet cpuset;                                         // that cgroups grant; empty: all
  double cpus_worth = 1e6;                               // of time that it gets in all; the rest of its threads queue
  int collisions = 0;
  bool announced = false;  // its new threads are announced
  int searches = 0;        // for threads
  bool has_counters = false;
  bool counters_end = false;  // they are open, and tell nothing any more
  double resident = 0;        // bytes
  bool kernel_gathers = false;
  std::optional<double> done;     // work that it tells
  std::optional<double> done_at;  // when that was so; nothing: at this moment
  double next_word = 0;           // when the next word will have come; 0: nobody knows

 private:
  class Counters final : public counters::ThreadCounters {
   public:
    Counters(FakeProgram& program, attach::ThreadId id) : program_(program), id_(id) {}
    counters::Reading read() noexcept override {
      if (program_.counters_end) {
        last_.has = {};
        return last_;
      }
      const auto found = program_.all.find(id_);
      if (found != program_.all.end()) {
        last_.instructions = static_cast<std::uint64_t>(found->second.run_s * 1e9);
        last_.fills[counters::index(counters::FillSource::local_dram)] = last_.instructions / 20;
      }
      last_.has.instructions = true;
      last_.has.fills.add(counters::FillSource::local_dram);
      last_.has.fills.add(counters::FillSource::other_chiplet);
      return last_;
    }

   private:
    FakeProgram& program_;
    attach::ThreadId id_;
    counters::Reading last_;
  };

  int process_of(int id) const {
    for (const auto& [key, thread] : all) {
      if (key.thread == id) return key.process;
    }
    return 1;
  }

  CpuSet start_;
  std::vector<attach::ThreadId> ended_unseen_;
  std::map<int, os::CpuTime> cpus_;
  double ended_s_ = 0;
  int next_ = 1;
  bool news_ = true;
};

}  // namespace charm::test
