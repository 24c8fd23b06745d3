// The time to discover the machine. The budget is 30 ms on 128 cores, since every start of every program pays it.
#include <charm/machine.hpp>

#include <cstdlib>
#include <filesystem>
#include <string>

#include <benchmark/benchmark.h>

#include "fake_sysfs.hpp"
#include "tools/probe/profile.hpp"
#include "topology/build.hpp"
#include "topology/discovery.hpp"
#include "topology/hwloc_handle.hpp"
#include "topology/profile.hpp"
#include "topology/survey_of.hpp"

namespace {

void shape(benchmark::State& state, const charm::Machine& machine) {
  state.counters["cores"] = static_cast<double>(machine.cores.size());
  state.counters["chiplets"] = static_cast<double>(machine.chiplets.size());
}

void read_file(benchmark::State& state, const std::string& name) {
  charm::Machine machine;
  for (auto _ : state) machine = charm::Machine::from(std::string(CHARM_TOPOLOGIES) + "/" + name);
  shape(state, machine);
}

void discover_here(benchmark::State& state) {
  charm::Machine machine;
  for (auto _ : state) machine = charm::topology::discover_quietly({"", "off", {}}).machine;
  shape(state, machine);
}

/// What start-up does on the machine that HWLOC_FSROOT names. survey_live() would take it for one from elsewhere, and
/// read it in a child.
charm::Machine started_up() {
  return charm::topology::build(charm::topology::survey_of(charm::topology::load_recorded().get(), "bench"));
}

/// Discovery as it happens, but on a sysfs of another machine.
void discover_there(benchmark::State& state) {
  charm::bench::FakeMachine fake;
  fake.chiplets = static_cast<int>(state.range(0));
  const charm::bench::FakeSysfs sysfs(fake);
  setenv("HWLOC_FSROOT", sysfs.root().c_str(), 1);
  charm::Machine machine;
  for (auto _ : state) machine = started_up();
  unsetenv("HWLOC_FSROOT");
  shape(state, machine);
}

/// The same with the profile that a probe of all pairs of that machine leaves: start-up reads it up to the matrices.
void discover_there_with_a_profile(benchmark::State& state) {
  const charm::bench::FakeSysfs sysfs({});
  setenv("HWLOC_FSROOT", sysfs.root().c_str(), 1);
  charm::Machine machine = started_up();
  charm::probe::Profile profile;
  profile.key = charm::topology::key_of(machine);
  profile.cpus = machine.allowed_cpus.values();
  profile.system = machine;
  const int rows = static_cast<int>(profile.cpus.size());
  profile.latency = profile.bandwidth = charm::probe::LatencyMatrix(rows);
  for (int i = 0; i < rows; ++i) {
    for (int j = 0; j < i; ++j) {
      profile.latency.set(i, j, 24.125 + (i * 31 + j * 17) % 97);
      profile.bandwidth.set(i, j, 6.25 + (i * 7 + j * 13) % 11);
    }
  }
  profile.latency_spread.assign(profile.cpus.size(), std::vector<double>(profile.cpus.size(), 0.0123));
  profile.line_home.assign(profile.cpus.size(), std::vector<int>(profile.cpus.size(), 0));
  for (const charm::Chiplet& chiplet : machine.chiplets) {
    profile.seen.chiplets.emplace_back();
    for (int core : chiplet.cores) {
      for (int cpu : machine.cores[static_cast<std::size_t>(core)].siblings)
        profile.seen.chiplets.back().push_back(cpu);
    }
  }
  profile.seen.confidence.chiplets = 1;
  charm::probe::summarise_profile(profile, machine);
  const std::string file = (sysfs.root() / "profile.json").string();
  charm::probe::store_profile(profile, file);
  for (auto _ : state) {
    machine = charm::topology::apply_profile(started_up(), charm::topology::read_profile_picture(file));
  }
  unsetenv("HWLOC_FSROOT");
  shape(state, machine);
  state.counters["file_bytes"] = static_cast<double>(std::filesystem::file_size(file));
}

BENCHMARK_CAPTURE(read_file, epyc_7451, "AMD-17h-Zen-2xEpyc-7451.xml")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, epyc_7763, "AMD-19h-Zen3-2xEpyc-7763.xml")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, epyc_9654, "AMD-19h-Zen4-2xEpyc-9654.xml")->Unit(benchmark::kMillisecond);
BENCHMARK(discover_here)->Unit(benchmark::kMillisecond);
BENCHMARK(discover_there_with_a_profile)->Unit(benchmark::kMillisecond);
BENCHMARK(discover_there)->Arg(8)->Arg(12)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
