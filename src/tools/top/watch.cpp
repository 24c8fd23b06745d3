#include "tools/top/watch.hpp"

#include <algorithm>
#include <set>
#include <utility>

namespace charm::top {
namespace {

constexpr double line_bytes = 64;
constexpr double ran = 1e-5;  // s; less is the kernel's bookkeeping

double grown(double before, double after) { return std::max(0.0, after - before); }

double busy_of(const std::map<int, os::CpuTime>& before, const std::map<int, os::CpuTime>& after, int cpu) {
  const auto then = before.find(cpu);
  const auto now = after.find(cpu);
  if (then == before.end() || now == after.end() || now->second.total <= then->second.total) return 0;
  const auto busy = now->second.busy - std::min(now->second.busy, then->second.busy);
  return std::min(1.0, static_cast<double>(busy) / static_cast<double>(now->second.total - then->second.total));
}

}  // namespace

FillRates rates_between(const counters::Reading& before, const counters::Reading& after, double seconds) {
  FillRates rates;
  if (!(seconds > 0)) return rates;
  for (const auto source : counters::all_fill_sources) {
    if (!before.has.fills.has(source) || !after.has.fills.has(source)) continue;
    rates.has.add(source);
    const auto i = index(source);
    if (after.fills[i] > before.fills[i])
      rates.per_s[i] = static_cast<double>(after.fills[i] - before.fills[i]) / seconds;
  }
  return rates;
}

void add(FillRates& to, const FillRates& more) {
  to.has.add(more.has);
  for (std::size_t i = 0; i < counters::fill_sources; ++i) to.per_s[i] += more.per_s[i];
}

std::optional<double> memory_rate(const FillRates& fills) {
  using counters::FillSource;
  double lines = 0;
  bool known = false;
  for (const FillSource source : {FillSource::local_dram, FillSource::remote_dram, FillSource::other}) {
    if (!fills.has.has(source)) continue;
    known = known || source != FillSource::other;
    lines += fills.per_s[index(source)];
  }
  if (!known) return std::nullopt;
  return lines * line_bytes * 1e-9;
}

Watch::Watch(const Machine& machine, int pid, std::string program)
    : machine_(machine), pid_(pid), program_(std::move(program)) {
  for (const Core& core : machine_.cores) {
    for (const int cpu : core.siblings) {
      if (cpu < 0) continue;
      const auto at = static_cast<std::size_t>(cpu);
      if (chiplet_by_cpu_.size() <= at) chiplet_by_cpu_.resize(at + 1, -1);
      chiplet_by_cpu_[at] = core.chiplet;
    }
  }
}

int Watch::chiplet_of(int cpu) const {
  const auto at = static_cast<std::size_t>(cpu);
  return cpu >= 0 && at < chiplet_by_cpu_.size() ? chiplet_by_cpu_[at] : -1;
}

ThreadShare Watch::share_of(const os::ThreadView& thread, const Sample& sample, double seconds) {
  ThreadShare share{thread.tid, thread.pid,      thread.name, thread.state, thread.cpu, chiplet_of(thread.cpu), 0,
                    {},         std::uint64_t{}, {}};
  auto [at, is_new] = known_.try_emplace(thread.tid);
  Known& known = at->second;
  // A number may be given again to another thread; its time then goes back.
  if (!is_new && (known.view.pid != thread.pid || thread.cpu_s < known.view.cpu_s - 0.02)) {
    known = {};
    is_new = true;
  }
  const auto reading = sample.by_thread.find(thread.tid);
  if (seconds > 0) {
    // All of the time of a thread that was created in the interval belongs to the interval.
    const double ran_s = grown(is_new ? 0 : known.view.cpu_s, thread.cpu_s);
    share.busy = looks_ > 1 ? std::min(1.0, ran_s / seconds) : 0;
    if (thread.waiting_s && (is_new || known.view.waiting_s))
      share.waiting = std::min(1.0, grown(is_new ? 0 : *known.view.waiting_s, *thread.waiting_s) / seconds);
    if (!is_new && reading != sample.by_thread.end())
      share.fills = rates_between(known.reading, reading->second, seconds);
  }
  // A thread that slept has not moved: its chiplet is the one where it ran last.
  const bool has_run = is_new || thread.cpu_s > known.view.cpu_s;
  if (!is_new && has_run && known.chiplet >= 0 && share.chiplet >= 0 && share.chiplet != known.chiplet) {
    ++known.moves;
    ++moves_seen_;
    moves_.push_back({sample.at_s - started_s_, thread.tid, thread.name, known.chiplet, share.chiplet});
    if (moves_.size() > kept_moves) moves_.pop_front();
  }
  known.view = thread;
  if (reading != sample.by_thread.end()) known.reading = reading->second;
  known.chiplet = share.chiplet;
  known.seen = looks_;
  share.moves = known.moves;
  return share;
}

std::vector<ChipletShare> Watch::chiplets(const Sample& sample, const std::vector<ThreadShare>& rows,
                                          double seconds) const {
  std::vector<ChipletShare> all;
  for (const Chiplet& chiplet : machine_.chiplets) {
    ChipletShare share;
    share.id = chiplet.id;
    share.node = chiplet.node;
    double cpus = 0;
    for (const int id : chiplet.cores) {
      const Core& core = machine_.cores[static_cast<std::size_t>(id)];
      double busy = 0;
      for (const int cpu : core.siblings) busy += busy_of(before_.cpus, sample.cpus, cpu);
      const auto siblings = static_cast<double>(std::max<std::size_t>(core.siblings.size(), 1));
      cpus += siblings;
      share.cores.push_back({id, busy / siblings, core.kind});
      share.busy += busy / siblings;
      for (const int cpu : core.siblings) {
        const auto then = before_.by_cpu.find(cpu);
        const auto now = sample.by_cpu.find(cpu);
        if (then == before_.by_cpu.end() || now == sample.by_cpu.end() || !(seconds > 0)) continue;
        if (!share.fills) share.fills.emplace();
        add(*share.fills, rates_between(then->second, now->second, seconds));
      }
    }
    if (!share.cores.empty()) share.busy /= static_cast<double>(share.cores.size());
    double own = 0;
    for (const ThreadShare& row : rows) {
      if (row.chiplet != chiplet.id || row.busy * seconds < ran) continue;
      ++share.threads;
      own += row.busy;
    }
    share.own = cpus > 0 ? std::min(1.0, own / cpus) : 0;
    all.push_back(std::move(share));
  }
  return all;
}

std::vector<ProcessShare> Watch::processes(const Sample& sample, const std::vector<ThreadShare>& rows,
                                           double seconds) const {
  struct Ran {
    std::set<int> chiplets;
    std::uint64_t moves = 0;
  };
  std::unordered_map<int, Ran> ran_by;
  for (const ThreadShare& row : rows) {
    Ran& process = ran_by[row.pid];
    process.moves += row.moves;
    if (row.chiplet >= 0 && row.busy * seconds >= ran) process.chiplets.insert(row.chiplet);
  }
  std::vector<ProcessShare> all;
  auto before = before_.by_process.begin();  // both are by pid
  for (const ProcessSample& process : sample.by_process) {
    const os::ProcessView& view = process.view;
    ProcessShare share{
        view.pid, view.parent, process.user,       view.name, process.command, view.state, view.threads, 0,
        0,        0,           view.resident_bytes};
    while (before != before_.by_process.end() && before->view.pid < view.pid) ++before;
    const bool known =
        before != before_.by_process.end() && before->view.pid == view.pid && before->view.started == view.started;
    if (seconds > 0) share.busy = grown(known ? before->view.cpu_s : 0, view.cpu_s) / seconds;
    if (const auto seen = ran_by.find(view.pid); seen != ran_by.end()) {
      share.chiplets = static_cast<int>(seen->second.chiplets.size());
      share.moves = seen->second.moves;
    }
    all.push_back(std::move(share));
  }
  return all;
}

void Watch::add_fills(Snapshot& snapshot, const Sample& sample, double seconds) const {
  if (!(seconds > 0)) return;
  if (!sample.by_cpu.empty()) {
    for (const ChipletShare& chiplet : snapshot.chiplets) {
      if (!chiplet.fills) continue;
      if (!snapshot.fills) snapshot.fills.emplace();
      add(*snapshot.fills, *chiplet.fills);
    }
  } else if (!sample.by_thread.empty()) {
    snapshot.fills.emplace();
    for (const ThreadShare& row : snapshot.rows) {
      if (row.fills) add(*snapshot.fills, *row.fills);
    }
  }
  if (snapshot.fills) snapshot.memory_gb_per_s = memory_rate(*snapshot.fills);
}

Snapshot Watch::next(const Sample& sample) {
  ++looks_;
  if (looks_ == 1) started_s_ = sample.at_s;
  const double seconds = looks_ == 1 ? 0 : sample.at_s - before_.at_s;
  Snapshot snapshot;
  snapshot.time_s = sample.at_s - started_s_;
  snapshot.interval_s = seconds;
  snapshot.pid = pid_;
  snapshot.program = program_;
  snapshot.processes = sample.processes;
  snapshot.ended = sample.ended;
  snapshot.threads = sample.threads_of_all > 0 ? sample.threads_of_all : static_cast<int>(sample.threads.size());
  for (const auto& thread : sample.threads) {
    snapshot.rows.push_back(share_of(thread, sample, seconds));
    snapshot.busy_cpus += snapshot.rows.back().busy;
  }
  std::erase_if(known_, [&](const auto& entry) { return entry.second.seen != looks_; });
  snapshot.chiplets = chiplets(sample, snapshot.rows, seconds);
  snapshot.machine_busy = looks_ == 1 ? 0 : os::busy_share(before_.cpus, sample.cpus);
  add_fills(snapshot, sample, seconds);
  snapshot.by_process = processes(sample, snapshot.rows, seconds);
  if (pid_ == 0) std::erase_if(snapshot.rows, [&](const ThreadShare& row) { return row.busy * seconds < ran; });
  std::sort(snapshot.rows.begin(), snapshot.rows.end(), [](const ThreadShare& a, const ThreadShare& b) {
    return a.busy != b.busy ? a.busy > b.busy : a.tid < b.tid;
  });
  snapshot.moves.assign(moves_.begin(), moves_.end());
  snapshot.moves_seen = moves_seen_;
  before_ = sample;
  return snapshot;
}

}  // namespace charm::top
