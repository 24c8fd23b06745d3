// What it costs to know the machine: the budget is 30 ms on 128 cores, since every start of every program pays it.
#include <charm/machine.hpp>

#include <cstdlib>
#include <string>

#include <benchmark/benchmark.h>

#include "fake_sysfs.hpp"
#include "topology/build.hpp"

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
  for (auto _ : state) machine = charm::topology::discover_quietly(nullptr);
  shape(state, machine);
}

/// Discovery as it happens, but on a sysfs of another machine.
void discover_there(benchmark::State& state) {
  charm::bench::FakeMachine fake;
  fake.chiplets = static_cast<int>(state.range(0));
  const charm::bench::FakeSysfs sysfs(fake);
  setenv("HWLOC_FSROOT", sysfs.root().c_str(), 1);
  charm::Machine machine;
  for (auto _ : state) machine = charm::topology::build(charm::topology::survey_live());
  unsetenv("HWLOC_FSROOT");
  shape(state, machine);
}

BENCHMARK_CAPTURE(read_file, epyc_7451, "AMD-17h-Zen-2xEpyc-7451.xml")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, epyc_7763, "AMD-19h-Zen3-2xEpyc-7763.xml")->Unit(benchmark::kMillisecond);
BENCHMARK_CAPTURE(read_file, epyc_9654, "AMD-19h-Zen4-2xEpyc-9654.xml")->Unit(benchmark::kMillisecond);
BENCHMARK(discover_here)->Unit(benchmark::kMillisecond);
BENCHMARK(discover_there)->Arg(8)->Arg(12)->Unit(benchmark::kMillisecond);

}  // namespace

BENCHMARK_MAIN();
