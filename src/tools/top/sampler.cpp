#include "tools/top/sampler.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <set>
#include <thread>

#include "base/clock.hpp"
#include "counters/sources.hpp"
#include "os/machine/cpu_load.hpp"
#include "os/processes/processes.hpp"
#include "os/processes/this_process.hpp"
#include "os/threads/handover.hpp"
#include "os/threads/thread_switches.hpp"
#include "tools/top/controller_state.hpp"
#include "tools/top/replay_writer.hpp"

namespace charm::top {
namespace {

constexpr std::size_t most_of_a_family = 4096;  // processes
constexpr double moment_s = 0.05;               // in which a program's switches are counted at the start

}  // namespace

Sampler::Sampler(const Machine& machine, int pid, bool count, std::string why_not, std::string root,
                 const EventChoice& events)
    : pid_(pid),
      why_not_(std::move(why_not)),
      root_(std::move(root)),
      cpus_(machine.allowed_cpus),
      pages_(machine, pid, root_),
      masks_(root_) {
  if (pid_ == 0) {
    program_ = os::host_name();
    if (program_.empty()) program_ = "this machine";
  } else {
    if (const std::string trouble = os::proc_trouble(); root_ == "/" && !trouble.empty()) {
      throw Error(Errc::bad_input, "process " + std::to_string(pid_) + " cannot be seen: " + trouble,
                  "mount -t proc proc /proc shows this one's");
    }
    const auto found = os::process(pid_, root_);
    if (!found) {
      throw Error(Errc::bad_input, "there is no process " + std::to_string(pid_) + " that this user can see",
                  "take a number that 'ps -e' lists");
    }
    if (const auto process = os::Processes(root_).process_of(pid_); process && *process != pid_) {
      throw Error(Errc::bad_input, std::to_string(pid_) + " is a thread of process " + std::to_string(*process),
                  "look at that: charm top " + std::to_string(*process));
    }
    process_ = *found;
    program_ = found->name;
  }
  if (!count) return;
  const auto around = counters::source_context();
  const auto plan = counters::make_plan(counters::model_of(around.cpu), counters::shape_of(machine), events.own);
  const auto part = chosen(plan, events);
  const auto less = pid_ == 0 || events.asked ? part : affordable(part, events);
  if (less.groups.empty() && !part.groups.empty()) return;
  fills_ = std::make_unique<counters::FillMeter>(os::system_attached_events(), less, around.access);
}

/// Whatever of the plan costs the program little: known once its threads have been seen switching for a moment.
counters::EventPlan Sampler::affordable(const counters::EventPlan& plan, const EventChoice& events) {
  std::vector<os::PerfEvent> all;
  std::size_t fills = 0;
  for (const auto& group : plan.groups) {
    for (const auto& one : group) {
      all.push_back(one.event);
      fills += one.role == counters::EventRole::fill ? 1 : 0;
    }
  }
  const auto handover = os::start_handover();
  if (all.empty() || handover == nullptr) return plan;
  cost_ = CountingCost(counters::measure_switch_cost(*os::system_attached_events(), all, *handover), fills);
  if (!cost_.matters()) return plan;
  const auto before = os::switches_of(pid_, root_);
  std::this_thread::sleep_for(std::chrono::duration<double>(moment_s));
  const auto after = os::switches_of(pid_, root_);
  if (!before || !after || *after < *before) return plan;
  const double rate = static_cast<double>(*after - *before) / moment_s;
  const auto now = os::process(pid_, root_);
  const double cpus = now ? (now->cpu_s - process_.cpu_s) / moment_s : 0;
  const Counted counted = cost_.affordable(rate, cpus);
  why_less_ = cost_.why(counted, rate);
  if (counted == Counted::all) return plan;
  if (counted == Counted::nothing) {
    why_not_ = why_less_;
    return {};
  }
  EventChoice only_fills = events;
  only_fills.instructions = only_fills.cycles = false;
  return chosen(plan, only_fills);
}

/// A program that has begun to switch more often is counted no longer.
bool Sampler::stays_affordable(const Sample& sample) {
  if (!cost_.matters()) return true;
  const auto switches = os::switches_of(pid_, root_);
  const double seconds = sample.at_s - switches_at_s_;
  const double used = sample.by_process.front().view.cpu_s;
  bool stays = true;
  if (switches && switches_ && *switches >= *switches_ && seconds > 0) {
    const double rate = static_cast<double>(*switches - *switches_) / seconds;
    stays = cost_.affordable(rate, (used - used_then_s_) / seconds) != Counted::nothing;
    if (!stays) why_not_ = cost_.why(Counted::nothing, rate);
  }
  switches_ = switches;
  switches_at_s_ = sample.at_s;
  used_then_s_ = used;
  return stays;
}

Sample Sampler::sample() {
  Sample sample;
  sample.cpus = os::cpu_times(root_);
  if (pid_ != 0)
    sample_process(sample);
  else
    sample_machine(sample);
  std::erase_if(described_, [&](const auto& entry) {
    return !std::binary_search(sample.by_process.begin(), sample.by_process.end(), entry.second,
                               [](const auto& a, const auto& b) { return a.view.pid < b.view.pid; });
  });
  sample.at_s = base::monotonic_seconds();
  count(sample);
  return sample;
}

void Sampler::sample_process(Sample& sample) {
  const auto found = os::process(pid_, root_);
  if (!found || found->started != process_.started) {  // gone, or its number is another's
    sample.ended = true;
    return;
  }
  sample.threads = os::threads_of(pid_, root_);
  sample.ended = sample.threads.empty() || std::all_of(sample.threads.begin(), sample.threads.end(),
                                                       [](const auto& t) { return t.state == 'Z'; });
  sample.by_process.push_back(described(*found));
  if (with_family_) sample_family(sample);
}

/// Adds the children of the process, their children, and so on, as far as they are seen from one look to the next.
void Sampler::sample_family(Sample& sample) {
  const os::Processes processes(root_);
  std::set<int> met = {pid_};
  for (std::size_t at = 0; at < sample.by_process.size() && met.size() < most_of_a_family; ++at) {
    const int parent = sample.by_process[at].view.pid;
    for (const int thread : processes.threads(parent)) {
      for (const int child : processes.children(parent, thread)) {
        const auto view = met.insert(child).second ? os::process(child, root_) : std::nullopt;
        if (view) sample.by_process.push_back(described(*view));
      }
    }
  }
  std::sort(sample.by_process.begin(), sample.by_process.end(),
            [](const auto& a, const auto& b) { return a.view.pid < b.view.pid; });
}

/// User and command line are read again only when the process has run: another program may run in it then.
ProcessSample Sampler::described(const os::ProcessView& process) {
  ProcessSample& known = described_[process.pid];
  if (known.view.pid == 0 || known.view.started != process.started || known.view.cpu_s != process.cpu_s ||
      known.view.name != process.name) {
    const os::ProcessOwner owner = os::owner_of(process.pid, root_);
    known.command = owner.command;
    known.user = "?";
    if (owner.user) {
      auto [at, is_new] = user_of_.try_emplace(*owner.user);
      if (is_new) at->second = os::user_name(*owner.user);
      known.user = at->second;
    }
  }
  known.view = process;
  return known;
}

/// Only processes that have used a cpu since are looked into: most of a machine's sleep.
void Sampler::sample_machine(Sample& sample) {
  std::map<int, Seen> now;
  const auto all = os::processes(root_);
  sample.processes = static_cast<int>(all.size());
  for (const auto& process : all) {
    sample.threads_of_all += process.threads;
    auto before = seen_.find(process.pid);
    Seen seen;
    if (before != seen_.end() && before->second.started == process.started && before->second.cpu_s == process.cpu_s)
      seen = std::move(before->second);
    else
      seen = {process.cpu_s, process.started, os::threads_of(process.pid, root_)};
    sample.threads.insert(sample.threads.end(), seen.threads.begin(), seen.threads.end());
    now.emplace(process.pid, std::move(seen));
    sample.by_process.push_back(described(process));
  }
  seen_ = std::move(now);
}

void Sampler::count(Sample& sample) {
  if (fills_ == nullptr || sample.ended) return;
  const auto time_ns = static_cast<std::uint64_t>(std::llround(sample.at_s * 1e9));
  if (pid_ == 0) {
    sample.by_cpu = fills_->of_cpus(cpus_, time_ns);
    return;
  }
  if (!stays_affordable(sample)) {
    fills_.reset();
    return;
  }
  std::vector<int> threads;
  threads.reserve(sample.threads.size());
  for (const auto& thread : sample.threads) threads.push_back(thread.tid);
  sample.by_thread = fills_->of_threads(threads, time_ns);
}

void Sampler::complete(Snapshot& snapshot) {
  if (!snapshot.ended) {
    snapshot.bytes_by_node = pages_.bytes_by_node();
    masks_.read(snapshot.rows);
  }
  snapshot.why_no_fills = fills_ == nullptr ? why_not_ : fills_->why_not();
  if (fills_ != nullptr && snapshot.why_no_fills.empty()) snapshot.why_no_fills = why_less_;
  if (fills_ != nullptr && fills_->left_out() > 0) {
    snapshot.why_no_fills = std::to_string(fills_->left_out()) +
                            " threads are not counted for want of descriptors; "
                            "raise the limit of open files (ulimit -n)";
  }
  if (pid_ == 0) return;
  snapshot.controller = read_controller_state(process_);
  const bool of_charm = std::any_of(snapshot.rows.begin(), snapshot.rows.end(),
                                    [](const auto& row) { return worker_number(row.name) >= 0; });
  if (!snapshot.controller && of_charm)
    snapshot.why_no_controller = "not known; start the program with CHARM_DECISION_FILE=1";
}

counters::Description Sampler::description() const {
  counters::Description description;
  description.name = "charm top of " + (pid_ == 0 ? program_ : program_ + " (" + std::to_string(pid_) + ")");
  for (char& c : description.name) {
    if (static_cast<unsigned char>(c) < 0x20) c = ' ';
  }
  if (fills_ != nullptr && fills_->why_not().empty() && pid_ != 0) description.classes = fills_->classes();
  return description;
}

}  // namespace charm::top
