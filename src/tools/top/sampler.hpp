// Samples the machine at intervals: /proc for times and cpus, attached counters for fills.
#pragma once

#include <charm/id_set.hpp>
#include <charm/machine.hpp>

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "counters/fill_meter.hpp"
#include "counters/plan.hpp"
#include "counters/source.hpp"
#include "os/threads/thread_list.hpp"
#include "tools/top/counting_cost.hpp"
#include "tools/top/event_choice.hpp"
#include "tools/top/masks.hpp"
#include "tools/top/pages.hpp"
#include "tools/top/watch.hpp"

namespace charm::top {

class Sampler {
 public:
  /// \param pid 0: the whole machine. \param count whether to attach counters; \param why_not what to say if not.
  /// \throws Error (bad_input) if there is no such process.
  Sampler(const Machine& machine, int pid, bool count, std::string why_not, std::string root = "/",
          const EventChoice& events = {});

  /// The name of the process, or of the host for the whole machine.
  [[nodiscard]] const std::string& program() const { return program_; }
  /// Whether samples of one process also have its children, theirs, and so on; of the machine they always have all.
  void with_family(bool on) { with_family_ = on; }
  Sample sample();
  /// Adds to a snapshot why there are no fills, where memory lies, and the decisions that the program has written.
  void complete(Snapshot& snapshot);
  /// A description of the recording's contents.
  [[nodiscard]] counters::Description description() const;

 private:
  void sample_process(Sample& sample);
  void sample_family(Sample& sample);
  ProcessSample described(const os::ProcessView& process);
  void sample_machine(Sample& sample);
  void count(Sample& sample);
  counters::EventPlan affordable(const counters::EventPlan& plan, const EventChoice& events);
  [[nodiscard]] bool stays_affordable(const Sample& sample);

  int pid_;
  std::string why_not_;
  std::string root_;
  std::string program_;
  CpuSet cpus_;
  os::ProcessView process_;
  PageWatch pages_;
  MaskReader masks_;
  std::unique_ptr<counters::FillMeter> fills_;  // null: nothing is counted
  CountingCost cost_;
  std::string why_less_;                        // is counted than could be
  std::optional<std::uint64_t> switches_;       // of the program, when it was looked at last
  double switches_at_s_ = 0, used_then_s_ = 0;  // and the cpu time that it had used then
  struct Seen {
    double cpu_s = -1;
    std::uint64_t started = 0;
    std::vector<os::ThreadView> threads;
  };
  std::map<int, Seen> seen_;  // by pid, of the whole machine
  bool with_family_ = false;
  std::map<int, ProcessSample> described_;   // by pid, what was read when the process had run last
  std::map<unsigned, std::string> user_of_;  // names, which may come from another machine
};

}  // namespace charm::top
