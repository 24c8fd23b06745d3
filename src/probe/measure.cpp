#include "probe/measure.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <thread>

#include "os/cpu_load.hpp"
#include "probe/landmarks.hpp"
#include "probe/measure_steps.hpp"
#include "probe/pinned_threads.hpp"

namespace charm::probe {
namespace {

// More busy than this and medians no longer come out the same; a daemon or two stay below.
constexpr double idle_share = 0.10;

std::string utc_now() {
  const std::time_t now = std::chrono::system_clock::to_time_t(std::chrono::system_clock::now());
  std::tm parts{};
  gmtime_r(&now, &parts);
  char text[32];
  std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return text;
}

/// Spins until a fixed piece of work takes the same time twice over, so that the clocks have come up.
void settle_frequency(int cpu) {
  PinnedThreads one({cpu}, [](int) {
    double last = 0;
    for (int same = 0, turn = 0; same < 3 && turn < 100; ++turn) {
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
  ProgressPlan plan(report, stop);
  const double rest = options.budget_s / 5;
  plan.expect(0.5);
  if (options.latency) plan.expect(likely_seconds(latencies));
  if (options.bandwidth) plan.expect(likely_seconds(bandwidths));
  for (bool on : {options.stream, options.working_set, options.writes}) {
    if (on) plan.expect(rest);
  }

  plan.begin("looking whether the cpus are idle", 0.5);
  const auto earlier = os::cpu_times();
  std::this_thread::sleep_for(std::chrono::milliseconds(300));
  const double busy = os::busy_share(earlier, os::cpu_times());
  profile.idle = busy <= idle_share;
  if (!profile.idle) {
    profile.notes.push_back("Not idle: the cpus were " + std::to_string(std::lround(busy * 100)) +
                            " % busy before the measurement began; times may be too long and differ from run to run.");
  }
  if (machine.cpu_quota > 0 && machine.cpu_quota < 2)
    profile.notes.push_back("The control group grants less than two cpus' time; pairs cannot run side by side.");
  settle_frequency(cpus.all.front());

  const auto step = [&](bool on, const std::string& doing, double seconds, const auto& work) {
    if (!on || plan.stopped()) return;
    plan.begin(doing, seconds);
    work();
  };
  step(options.latency, "latency between cpus", likely_seconds(latencies),
       [&] { measure_pairs(latencies, cpus, PairQuantity::latency, plan, profile); });
  step(options.bandwidth, "bandwidth between cpus", likely_seconds(bandwidths),
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
  double wild = 0;
  for (const auto& row : profile.latency_spread)
    wild += static_cast<double>(std::count_if(row.begin(), row.end(), [](double s) { return s > 0.1; }));
  if (wild > 0) {
    profile.notes.push_back(std::to_string(static_cast<int>(wild / 2)) +
                            " pairs spread by more than 10 % of their median: the machine was not quiet.");
  }
  plan.begin("done", 0);
  return profile;
}

}  // namespace charm::probe
