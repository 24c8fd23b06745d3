#include "probe/measure.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <ctime>
#include <map>
#include <thread>

#include "os/cpu_load.hpp"
#include "os/memory.hpp"
#include "probe/landmarks.hpp"
#include "probe/pair_plan.hpp"
#include "probe/pairs.hpp"
#include "probe/stream.hpp"
#include "probe/team.hpp"
#include "probe/working_set.hpp"

namespace charm::probe {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20;

// More busy than this and medians no longer come out the same; a daemon or two stay below.
constexpr double idle_share = 0.10;

/// Steps with weights, for the share that is done and the time that is left.
class Plan {
 public:
  Plan(const std::function<void(const Progress&)>& report, const std::atomic<bool>& stop)
      : report_(report), stop_(stop) {}
  void expect(double seconds) { whole_s_ += seconds; }
  void begin(const std::string& doing, double seconds) {
    doing_ = doing;
    before_s_ += step_s_;
    step_s_ = seconds;
    tell(0);
  }
  void tell(double share_of_step) {
    const double done = before_s_ + step_s_ * share_of_step;
    const double spent = (now_ns() - start_) / 1e9;
    // The plan's seconds are guesses; what was spent so far corrects them.
    const double pace = done > 0.5 ? spent / done : 1;
    report_({doing_, whole_s_ > 0 ? std::min(1.0, done / whole_s_) : 0, std::max(0.0, whole_s_ - done) * pace});
  }
  [[nodiscard]] bool stopped() const { return stop_.load(); }

 private:
  const std::function<void(const Progress&)>& report_;
  const std::atomic<bool>& stop_;
  std::string doing_;
  double whole_s_ = 0, before_s_ = 0, step_s_ = 0;
  double start_ = now_ns();
};

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
  Team one({cpu}, [](int) {
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

struct Cpus {
  std::vector<int> all;      // every allowed hardware thread, in the order of the matrix
  std::vector<int> node_os;  // its node, by OS number
};

Cpus cpus_of(const Machine& machine) {
  Cpus cpus;
  cpus.all = machine.allowed_cpus;
  for (int cpu : cpus.all) {
    const Core* core = machine.core_of_cpu(cpu);
    cpus.node_os.push_back(
        core == nullptr || machine.nodes.empty() ? -1 : machine.nodes[static_cast<std::size_t>(core->node)].os_index);
  }
  return cpus;
}

/// One thread on every core of each group; a process per group.
std::vector<std::vector<int>> by(const Machine& machine, int Core::* group) {
  std::map<int, std::vector<int>> groups;
  for (const Core& core : machine.cores) groups[group == nullptr ? 0 : core.*group].push_back(core.cpu);
  std::vector<std::vector<int>> cpus;
  for (auto& [id, some] : groups) cpus.push_back(std::move(some));
  return cpus;
}

std::uint64_t last_level_bytes(const Machine& machine) {
  std::uint64_t largest = 0;
  for (const auto& chiplet : machine.chiplets) largest = std::max(largest, chiplet.l3_bytes);
  for (const auto& core : machine.cores) largest = std::max(largest, core.l2_bytes);
  return largest == 0 ? 32 * mib : largest;
}

/// Beyond the caches where memory and time allow; the plan of a short probe does not wait for gigabytes.
std::size_t largest_working_set(const Machine& machine, const MeasureOptions& options) {
  if (options.largest_bytes > 0) return options.largest_bytes;
  const std::uint64_t wanted = 4 * last_level_bytes(machine);
  const std::uint64_t patience = static_cast<std::uint64_t>(std::max(1.0, options.budget_s / 15)) * 256 * mib;
  const std::uint64_t free = os::available_bytes().value_or(1024 * mib);
  return static_cast<std::size_t>(std::max<std::uint64_t>(4 * mib, std::min({wanted, patience, free / 4})));
}

std::vector<std::size_t> sizes_up_to(std::size_t smallest, std::size_t largest, double factor) {
  std::vector<std::size_t> sizes;
  for (double size = static_cast<double>(smallest); size < static_cast<double>(largest) * 0.999; size *= factor)
    sizes.push_back(static_cast<std::size_t>(size));
  sizes.push_back(largest);
  return sizes;
}

/// As many cores as the smallest group of two or more chiplets has, once on one chiplet and once over all of them.
struct LocalAndSpread {
  std::vector<int> local, spread;
};
LocalAndSpread local_and_spread(const Machine& machine) {
  const auto chiplets = by(machine, &Core::chiplet);
  const auto largest =
      std::max_element(chiplets.begin(), chiplets.end(), [](auto& a, auto& b) { return a.size() < b.size(); });
  LocalAndSpread seats;
  seats.local = *largest;
  if (chiplets.size() < 2) return seats;
  for (std::size_t depth = 0; seats.spread.size() < seats.local.size(); ++depth) {
    for (const auto& chiplet : chiplets) {
      if (depth < chiplet.size() && seats.spread.size() < seats.local.size()) seats.spread.push_back(chiplet[depth]);
    }
  }
  return seats;
}

std::vector<std::vector<int>> sibling_rows(const Machine& machine, const std::vector<int>& cpus) {
  std::vector<std::vector<int>> rows;
  for (const Core& core : machine.cores) {
    rows.emplace_back();
    for (int cpu : core.siblings)
      rows.back().push_back(static_cast<int>(std::lower_bound(cpus.begin(), cpus.end(), cpu) - cpus.begin()));
  }
  return rows;
}

PairPlan pair_plan(const Machine& machine, const Profile& profile, const MeasureOptions& options, bool bandwidth) {
  PairBudget budget;
  budget.sampled = profile.sampled;
  // A sample of any machine is done in two minutes, both matrices and all else together. Bandwidth is there to be shown
  // and nothing is inferred from it, so that fewer landmarks do.
  budget.seconds = profile.sampled ? (bandwidth ? 25 : 70) : std::max(options.budget_s / 5, 0.4);
  budget.landmarks_of = bandwidth ? 24 : 8;
  return plan_pairs(static_cast<int>(profile.cpus.size()), sibling_rows(machine, profile.cpus), budget);
}

void measure_pairs(const PairPlan& pairs, const Cpus& cpus, bool bandwidth, Plan& plan, Profile& profile) {
  LatencyMatrix& matrix = bandwidth ? profile.bandwidth : profile.latency;
  PairOptions pair = pairs.options;
  const std::string what = bandwidth ? "their bandwidth" : "their latency";
  const double begin = now_ns();
  const double patience_ns = profile.sampled ? pairs.most_seconds() * 1.1e9 : 1e18;
  const std::size_t all = pairs.pairs.size() * static_cast<std::size_t>(pairs.passes);
  std::vector<std::vector<double>> seen(pairs.pairs.size());  // by pass
  std::size_t done = 0;
  std::size_t given_up = 0;
  for (int pass = 0; pass < pairs.passes; ++pass) {
    for (std::size_t p = 0; p < pairs.pairs.size(); ++p) {
      if (plan.stopped()) return;
      if (now_ns() - begin > patience_ns) {
        profile.notes.push_back(std::to_string(all - done) + " pairs were left out for want of time.");
        return;
      }
      if (done++ % std::max<std::size_t>(1, all / 200) == 0)
        plan.tell(static_cast<double>(done) / static_cast<double>(all));
      const auto a = static_cast<std::size_t>(pairs.pairs[p].first);
      const auto b = static_cast<std::size_t>(pairs.pairs[p].second);
      pair.node = cpus.node_os[a];
      const auto look = [&](const PairOptions& how) {
        return bandwidth ? pair_bandwidth(cpus.all[a], cpus.all[b], how) : pair_latency(cpus.all[a], cpus.all[b], how);
      };
      PairResult result = look(pair);
      // Other work held one of the two all the time; a few pairs can wait for a moment that both have.
      if (result.value.median <= 0 && pairs.pairs.size() <= 64) {
        PairOptions patient = pair;
        patient.most_ms = 1500;
        patient.round_trips = 50;
        result = look(patient);
      }
      if (!result.whole) ++given_up;
      if (result.value.median <= 0) continue;
      seen[p].push_back(result.value.median);
      // Set at once, so that an interruption leaves what there is.
      matrix.set(static_cast<int>(a), static_cast<int>(b), summarise(seen[p]).median);
      if (bandwidth) continue;
      profile.latency_spread[a][b] = profile.latency_spread[b][a] = result.value.spread;
      profile.line_home[a][b] = profile.line_home[b][a] = result.home;
    }
  }
  if (given_up > 0) {
    profile.notes.push_back(std::to_string(given_up) + " of " + std::to_string(all) +
                            " pairs took too long or lost a cpu on the way; " + what + " rests on fewer samples.");
  }
  const auto unstable = std::count_if(seen.begin(), seen.end(), [](const std::vector<double>& passes) {
    const auto [low, high] = std::minmax_element(passes.begin(), passes.end());
    return passes.size() > 1 && *high > *low * 1.2;  // more than a tenth to each side
  });
  if (unstable > 0) {
    profile.notes.push_back("Not idle: " + std::to_string(unstable) + " of " + std::to_string(seen.size()) +
                            " pairs differed by more than 10 % to each side over three passes; " + what +
                            " is the middle one.");
    profile.idle = false;
  }
}

/// What one core of each node reads from each node's memory.
void measure_node_memory(const Machine& machine, std::size_t largest, double seconds, Plan& plan, Profile& profile) {
  const std::size_t n = machine.nodes.size();
  auto& table = profile.summary.node_gb_per_s;
  table.assign(n, std::vector<double>(n, 0));
  const std::size_t bytes = std::min<std::size_t>(largest, n > 4 ? 32 * mib : 128 * mib);
  const double ms = std::clamp(seconds * 1e3 / static_cast<double>(n * n), 5.0, 100.0);
  for (std::size_t a = 0; a < n; ++a) {
    if (machine.nodes[a].cpus.empty()) continue;
    for (std::size_t b = 0; b < n && !plan.stopped(); ++b) {
      try {
        table[a][b] = read_rate(machine.nodes[a].cpus.front(), machine.nodes[b].os_index, bytes, ms).median;
      } catch (const Error& error) {
        profile.notes.push_back("The memory of node " + std::to_string(machine.nodes[b].os_index) +
                                " was left out: " + error.what());
      }
    }
  }
}

void measure_stream(const Machine& machine, const MeasureOptions& options, Plan& plan, Profile& profile) {
  Curve curve{"STREAM by processes", "processes", "", "bandwidth", "GB/s", {}};
  for (const auto kernel : stream_kernels) curve.series.push_back({std::string(kernel), {}});
  const std::size_t bytes = largest_working_set(machine, options);
  std::map<std::size_t, std::vector<std::vector<int>>> groupings;
  for (int Core::* group : {static_cast<int Core::*>(nullptr), &Core::node, &Core::chiplet, &Core::id}) {
    auto groups = by(machine, group);
    groupings.emplace(groups.size(), std::move(groups));
  }
  std::size_t done = 0;
  for (const auto& [processes, groups] : groupings) {
    if (plan.stopped()) return;
    plan.tell(static_cast<double>(done++) / static_cast<double>(groupings.size()));
    const StreamResult result = stream(groups, bytes, 5);
    profile.summary.memory_gb_per_s = std::max(profile.summary.memory_gb_per_s, result.best_gb_per_s[3]);
    for (std::size_t k = 0; k < stream_kernels.size(); ++k) {
      curve.series[k].points.push_back(
          {static_cast<double>(processes), result.best_gb_per_s[k], result.gb_per_s[k].spread});
    }
  }
  profile.curves.push_back(std::move(curve));

  const LocalAndSpread seats = local_and_spread(machine);
  if (seats.spread.empty()) {
    profile.notes.push_back("One chiplet: STREAM and writes have nothing to compare local with.");
    return;
  }
  Curve mixed{"STREAM copy, local and mixed", "array bytes", "B", "bandwidth", "GB/s", {{"local", {}}, {"mixed", {}}}};
  for (const std::size_t size : sizes_up_to(800000, bytes, 4)) {
    for (std::size_t s = 0; s < 2 && !plan.stopped(); ++s) {
      const StreamResult result = stream({s == 0 ? seats.local : seats.spread}, size, 9);
      mixed.series[s].points.push_back(
          {static_cast<double>(size), result.gb_per_s[2].median, result.gb_per_s[2].spread});
    }
  }
  profile.curves.push_back(std::move(mixed));
}

void measure_working_sets(const Machine& machine, const MeasureOptions& options, double seconds, Plan& plan,
                          Profile& profile) {
  Curve latency{"Latency by working set", "working set", "B", "latency", "ns", {}};
  Curve bandwidth{"Read bandwidth by working set", "working set", "B", "bandwidth", "GB/s", {}};
  const auto sizes = sizes_up_to(4096, largest_working_set(machine, options), 2);
  std::vector<const Node*> nodes;
  for (const Node& node : machine.nodes) nodes.push_back(&node);
  const std::size_t steps = sizes.size() * std::max<std::size_t>(1, nodes.size());
  const double ms = std::clamp(seconds * 1e3 / static_cast<double>(steps) / 4, 2.0, 50.0);
  const Core& core = machine.cores.front();
  std::size_t done = 0;
  for (std::size_t n = 0; n < std::max<std::size_t>(1, nodes.size()); ++n) {
    const std::string label =
        nodes.empty() ? "own memory"
                      : "node " + std::to_string(nodes[n]->os_index) + (nodes[n]->id == core.node ? " (own)" : "");
    latency.series.push_back({label, {}});
    bandwidth.series.push_back({label, {}});
    for (const std::size_t size : sizes) {
      if (plan.stopped()) break;
      plan.tell(static_cast<double>(done++) / static_cast<double>(steps));
      try {
        const WorkingSet set = working_set(core.cpu, nodes.empty() ? -1 : nodes[n]->os_index, size, ms);
        const auto x = static_cast<double>(size);
        latency.series.back().points.push_back({x, set.latency_ns.median, set.latency_ns.spread});
        bandwidth.series.back().points.push_back({x, set.gb_per_s.median, set.gb_per_s.spread});
      } catch (const Error& error) {
        profile.notes.push_back(std::string("Working sets beyond ") + std::to_string(size) +
                                " B were left out: " + error.what());
        break;
      }
    }
  }
  profile.curves.push_back(std::move(latency));
  profile.curves.push_back(std::move(bandwidth));
}

void measure_writes(const Machine& machine, const MeasureOptions& options, double seconds, Plan& plan,
                    Profile& profile) {
  const LocalAndSpread seats = local_and_spread(machine);
  Curve curve{"Writing, local and distributed", "bytes written", "B", "time", "ns", {{"local", {}}}};
  if (!seats.spread.empty()) curve.series.push_back({"distributed", {}});
  const auto sizes = sizes_up_to(38, largest_working_set(machine, options), 10);
  const double ms = std::clamp(seconds * 1e3 / static_cast<double>(sizes.size() * curve.series.size()) / 2, 5.0, 200.0);
  std::size_t done = 0;
  for (const std::size_t size : sizes) {
    for (std::size_t s = 0; s < curve.series.size(); ++s) {
      if (plan.stopped()) break;
      plan.tell(static_cast<double>(done++) / static_cast<double>(sizes.size() * curve.series.size()));
      const Summary took = write_once(s == 0 ? seats.local : seats.spread, size, ms);
      curve.series[s].points.push_back({static_cast<double>(size), took.median, took.spread});
    }
  }
  profile.curves.push_back(std::move(curve));
}

/// A pair usually ends well before its longest time.
double likely_seconds(const PairPlan& plan) {
  const double samples = (plan.options.samples + 1.0) * plan.options.round_trips * 2 * 100e-6;
  return static_cast<double>(plan.pairs.size()) * plan.passes *
         (std::min(plan.options.most_ms, samples) + pair_overhead_ms) / 1e3;
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
  const Cpus cpus = cpus_of(machine);
  const std::size_t n = cpus.all.size();
  profile.cpus = cpus.all;
  profile.latency = LatencyMatrix(static_cast<int>(n));
  profile.bandwidth = LatencyMatrix(static_cast<int>(n));
  profile.latency_spread.assign(n, std::vector<double>(n, 0));
  profile.line_home.assign(n, std::vector<int>(n, -1));
  profile.sampled = options.pairs == Pairs::sampled || (options.pairs == Pairs::automatic && n > 128);

  const PairPlan latencies = pair_plan(machine, profile, options, false);
  const PairPlan bandwidths = pair_plan(machine, profile, options, true);
  Plan plan(report, stop);
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
       [&] { measure_pairs(latencies, cpus, false, plan, profile); });
  step(options.bandwidth, "bandwidth between cpus", likely_seconds(bandwidths),
       [&] { measure_pairs(bandwidths, cpus, true, plan, profile); });
  profile.seen = cluster(profile.sampled ? completed(profile.latency) : profile.latency);
  // What follows goes by chiplets: by those that were just seen, where the system hides them.
  const Machine shape =
      options.latency && !plan.stopped() ? topology::apply_profile(machine, picture_of(profile)) : machine;
  step(options.working_set, "caches and memory by working set", rest, [&] {
    measure_working_sets(shape, options, rest, plan, profile);
    measure_node_memory(shape, largest_working_set(machine, options), rest / 4, plan, profile);
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
