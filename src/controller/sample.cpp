#include "controller/sample.hpp"

#include <algorithm>

namespace charm::controller {
namespace {

constexpr double line_bytes = 64;

}  // namespace

std::optional<Sample> Sampler::sample(const Signals& signals) {
  Unit best = signals.user_work > 0                          ? Unit::user
              : signals.task_work > 0                        ? Unit::tasks
              : signals.counters && signals.instructions > 0 ? Unit::instructions
                                                             : Unit::none;
  if (best > unit_) {
    changed_ = unit_ != Unit::none;
    unit_ = best;
  }
  double work = unit_ == Unit::user    ? signals.user_work
                : unit_ == Unit::tasks ? signals.task_work
                                       : signals.instructions;
  if (unit_ == Unit::none || work <= 0 || signals.elapsed <= 0) return std::nullopt;

  Sample sample;
  sample.time = signals.time;
  sample.throughput = work / signals.elapsed;
  sample.idle = std::clamp(1 - signals.busy / (signals.elapsed * std::max(1, signals.workers)), 0.0, 1.0);
  if (signals.tasks > 0) sample.grain = signals.busy / signals.tasks;
  sample.counters = signals.counters && signals.instructions > 0;
  if (sample.counters) {
    auto stall = [&](FillSource source) {
      double latency = traits_.latency_ns[index_beyond_l2(source)] * 1e-9;
      return signals.busy > 0 ? signals.fill(source) * latency / (traits_.mlp * signals.busy) : 0;
    };
    sample.stall_remote = stall(FillSource::other_chiplet) + stall(FillSource::remote_cache);
    sample.stall_dram = stall(FillSource::local_dram) + stall(FillSource::remote_dram);
    sample.memory_gb_per_s = (signals.fill(FillSource::local_dram) + signals.fill(FillSource::remote_dram)) *
                             line_bytes / signals.elapsed / 1e9;
    double fills = 0;
    for (double count : signals.fills) fills += count;
    sample.intensity = fills / signals.instructions * 1000;
  }
  return sample;
}

void add(Signals& sum, const Signals& more) {
  const bool first = sum.elapsed <= 0;
  sum += more;
  sum.time = more.time;
  sum.elapsed += more.elapsed;
  sum.workers = more.workers;
  sum.resting_busy += more.resting_busy;
  sum.counters = more.counters && (first || sum.counters);
  sum.hides_chiplets = more.hides_chiplets || sum.hides_chiplets;
}

}  // namespace charm::controller
