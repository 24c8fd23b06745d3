// bench_controller_tick [ROUNDS]: the time that a tick of the controller takes in its leader, and that a poll between
// two ticks takes in the other workers, with 8 to 512 workers on generated machines. The signals are those of a program
// of two phases in a model of the machine, recorded once and played back, so that the controller holds, probes,
// recognises and moves.
//
// Two temperatures. "warm": the workers' counts lie in the leader's caches. "cold": a sweep over a large block drove
// them and the controller's own data out before each tick, as the workers' writes on other cores do. The limit is 50 us
// with 128 workers.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <memory>
#include <string>
#include <vector>

#include "controller/control_group.hpp"
#include "controller/model/machine_model.hpp"

using namespace charm::controller;

namespace {

double now_us() {
  return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/// Of `workers` workers at every level, tick by tick: what each of them adds to its counts.
std::vector<Signals> record(const charm::Machine& machine, int workers, bool counters, int ticks) {
  const auto placement = placement_for("adaptive", machine, {.workers = workers});
  model::Model model(machine, placement, placement, {{model::private_sweep(24), 3.0}, {model::all_to_all(), 3.0}},
                     {.noise = .05, .counters = counters});
  std::vector<Signals> all;
  for (int i = 0; i < ticks; ++i) {
    // Other levels now and then, so that what is played back is not one level's answer for ever.
    model.move_to(placement.levels[static_cast<std::size_t>(i / 100) % placement.levels.size()]);
    all.push_back(model.run(.05));
  }
  return all;
}

void add_share(WorkerTotals& totals, const Signals& tick) {
  for_each_count([share = 1.0 / tick.workers](double& total, double all) { total += all * share; }, totals, tick);
  totals.counters = tick.counters;
}

struct Times {
  std::vector<double> tick, visit;  // us
};

double at_quantile(std::vector<double>& values, double q) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(q * static_cast<double>(values.size() - 1))];
}

Times measure(const charm::Machine& machine, int workers, const std::vector<Signals>& signals, bool cold) {
  const auto placement = placement_for("adaptive", machine, {.workers = workers});
  const auto setup = setup_for(machine, placement, {});
  ControlGroup control_group(workers, [&] { return make_controller("adaptive", setup); }, 0, setup.traits);
  std::vector<WorkerTotals> totals(static_cast<std::size_t>(workers));
  std::vector<char> block(cold ? std::size_t{96} << 20U : 0);
  Times times;
  double time = 0;
  for (const Signals& tick : signals) {
    for (WorkerTotals& one : totals) add_share(one, tick);
    // All but the last come by before the tick is due, the last one leads it.
    const double visits = now_us();
    for (int w = 0; w + 1 < workers; ++w) control_group.poll(w, totals[static_cast<std::size_t>(w)], time);
    times.visit.push_back((now_us() - visits) / std::max(1, workers - 1));
    for (std::size_t i = 0; i < block.size(); i += 64) ++block[i];
    time += control_group.period() * 1.01;
    const double begin = now_us();
    control_group.poll(workers - 1, totals.back(), time);
    times.tick.push_back(now_us() - begin);
  }
  return times;
}

}  // namespace

int main(int argc, char** argv) {
  const int ticks = argc > 1 ? std::max(10, std::atoi(argv[1])) : 1000;
  std::printf(
      "%d ticks each; us a tick of the leader, ns a visit of the others\n%-34s %8s %9s %5s %8s %8s %8s %8s %8s\n",
      ticks, "machine", "workers", "counters", "", "least", "median", "9th dec.", "most", "visit");
  const struct {
    const char* machine;
    int workers;
  } cases[] = {{"pack:1 l3:8 core:8 pu:1", 8},
               {"pack:2 l3:8 core:8 pu:1", 24},
               {"pack:1 l3:32 core:8 pu:1", 128},
               {"pack:2 l3:12 core:16 pu:1", 128},
               {"pack:4 l3:16 core:16 pu:1", 512}};
  for (const auto& one : cases) {
    const auto machine = charm::Machine::from(one.machine);
    for (const bool counters : {true, false}) {
      const auto signals = record(machine, one.workers, counters, ticks);
      for (const bool cold : {false, true}) {
        Times times = measure(machine, one.workers, signals, cold);
        std::printf("%-34s %8d %9s %5s %8.2f %8.2f %8.2f %8.2f %8.1f\n", one.machine, one.workers,
                    counters ? "yes" : "no", cold ? "cold" : "warm", at_quantile(times.tick, 0),
                    at_quantile(times.tick, .5), at_quantile(times.tick, .9), at_quantile(times.tick, 1),
                    1000 * at_quantile(times.visit, .5));
      }
    }
  }
  return 0;
}
