#include "tools/probe/measuring/measure.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <thread>

#include "os/machine/cpu_load.hpp"
#include "os/processes/process_stat.hpp"
#include "os/processes/this_process.hpp"
#include "tools/probe/measuring/doubts.hpp"
#include "tools/probe/measuring/measure_steps.hpp"
#include "tools/probe/measuring/pinned_threads.hpp"
#include "tools/probe/structure/landmarks.hpp"

namespace charm::probe {
namespace {

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Spins until a fixed piece of work takes the same time twice over, so that the clocks have come up.
void settle_frequency(int cpu, const Deadline& until) {
  PinnedThreads one({cpu}, [&](int) {
    double last = 0;
    for (int same = 0, turn = 0; same < 3 && turn < 100 && !until.passed(); ++turn) {
      const double begin = now_ns();
      volatile unsigned work = 0;
      for (int i = 0; i < 500000; ++i) work = work + 1;
      const double took = now_ns() - begin;
      same = std::abs(took - last) < 0.01 * took ? same + 1 : 0;
      last = took;
    }
  });
  one.round();
}

/// What others did on the cpus: their time in all, without this process's own.
class OthersWork {
 public:
  /// Share of the cpus' time since this object was made, 0 to 1.
  [[nodiscard]] double share() const {
    const auto now = os::cpu_times();
    double total = 0;
    for (const auto& [cpu, time] : now) {
      const auto before = times_.find(cpu);
      if (before != times_.end() && time.total > before->second.total)
        total += static_cast<double>(time.total - before->second.total) * os::tick_seconds();
    }
    const double own = os::cpu_seconds() + os::cpu_seconds_of_children() - own_;
    return total <= 0 ? 0 : std::clamp(os::busy_share(times_, now) - own / total, 0.0, 1.0);
  }

 private:
  std::map<int, os::CpuTime> times_ = os::cpu_times();
  double own_ = os::cpu_seconds() + os::cpu_seconds_of_children();
};

topology::ProfilePicture picture_of(const Profile& profile) {
  topology::ProfilePicture picture;
  picture.key = profile.key;
  picture.date = profile.date;
  picture.cpus = profile.cpus;
  picture.chiplets = profile.seen.chiplets;
  picture.chiplet_confidence = profile.seen.confidence.chiplets;
  return picture;
}

}  // namespace

Profile measure(const Machine& machine, const MeasureOptions& options,
                const std::function<void(const Progress&)>& report, const std::atomic<bool>& stop) {
  if (!machine.is_live())
    throw Error(Errc::bad_config, "a machine on paper (" + machine.origin + ") cannot be measured",
                "unset CHARM_TOPOLOGY");
  Profile profile;
  profile.key = topology::key_of(machine);
  profile.system = machine;
  profile.date = utc_now();
  const MeasuredCpus cpus = cpus_of(machine);
  const std::size_t n = cpus.all.size();
  profile.cpus = cpus.all;
  profile.latency = LatencyMatrix(static_cast<int>(n));
  profile.bandwidth = LatencyMatrix(static_cast<int>(n));
  profile.latency_spread.assign(n, std::vector<double>(n, 0));
  profile.line_home.assign(n, std::vector<int>(n, -1));
  profile.sampled = options.pairs == Pairs::sampled || (options.pairs == Pairs::automatic && n > 128);

  const PairPlan latencies = pair_plan(machine, profile, options, PairQuantity::latency);
  const PairPlan bandwidths = pair_plan(machine, profile, options, PairQuantity::bandwidth);
  ProgressPlan plan(report, stop, options.clock);
  // Pairs of a large machine, or all pairs where they were asked for, may need more than their share of the budget.
  const auto seconds_for = [&](const PairPlan& pairs) {
    return std::max(options.budget_s / 5, 1.1 * pairs.most_seconds());
  };
  const double rest = options.budget_s / 5;
  const double looking = std::min(0.5, options.budget_s / 10);
  double allowed = options.budget_s;
  plan.expect(looking);
  for (const auto& [on, pairs] : {std::pair{options.latency, &latencies}, std::pair{options.bandwidth, &bandwidths}}) {
    if (!on) continue;
    plan.expect(seconds_for(*pairs));
    allowed += seconds_for(*pairs) - rest;
  }
  for (bool on : {options.stream, options.working_set, options.writes}) {
    if (on) plan.expect(rest);
  }
  plan.allow(allowed);

  const OthersWork others;
  plan.begin("looking whether the cpus are idle", looking);
  std::this_thread::sleep_for(std::chrono::milliseconds(static_cast<int>(600 * looking)));
  if (machine.cpu_quota > 0 && machine.cpu_quota < 2)
    profile.notes.push_back("The control group grants less than two cpus' time; pairs cannot run side by side.");
  settle_frequency(cpus.all.front(), plan.until());

  const auto step = [&](bool on, const std::string& doing, double seconds, const auto& work) {
    if (!on || plan.stopped()) return;
    plan.begin(doing, seconds);
    work();
  };
  step(options.latency, "latency between cpus", seconds_for(latencies),
       [&] { measure_pairs(latencies, cpus, PairQuantity::latency, plan, profile); });
  step(options.bandwidth, "bandwidth between cpus", seconds_for(bandwidths),
       [&] { measure_pairs(bandwidths, cpus, PairQuantity::bandwidth, plan, profile); });
  profile.seen = cluster(profile.sampled ? completed(profile.latency) : profile.latency);
  // What follows goes by chiplets: by those that were just seen, where the system hides them.
  const Machine shape =
      options.latency && !plan.stopped() ? topology::apply_profile(machine, picture_of(profile)) : machine;
  step(options.working_set, "caches and memory by working set", rest, [&] {
    measure_working_sets(shape, options, rest, plan, profile);
    measure_node_memory(shape, options, rest / 4, plan, profile);
  });
  step(options.stream, "STREAM", rest, [&] { measure_stream(shape, options, plan, profile); });
  step(options.writes, "writes, local and distributed", rest,
       [&] { measure_writes(shape, options, rest, plan, profile); });

  profile.partial = stop.load();
  summarise_profile(profile, machine);
  for (const std::string& doing : plan.cut_short())
    profile.notes.push_back("There was no time for all of this: " + doing + " (--budget gives more).");
  profile.busy = others.share();
  profile.doubts = doubts_about(profile);
  profile.idle = profile.idle && profile.doubts.empty();
  plan.begin("done", 0);
  return profile;
}

}  // namespace charm::probe
