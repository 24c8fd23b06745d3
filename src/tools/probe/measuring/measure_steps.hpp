// The steps of a measurement. Each fills its part of the profile, reports its progress, and ends early if the plan is
// stopped.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>
#include <vector>

#include "tools/probe/measuring/measure.hpp"
#include "tools/probe/measuring/pair_plan.hpp"
#include "tools/probe/measuring/progress_plan.hpp"
#include "tools/probe/profile.hpp"

namespace charm::probe {

// ---- between cpus: measure_pairs.cpp ----

struct MeasuredCpus {
  std::vector<int> all;      // every allowed hardware thread, in the order of the matrix
  std::vector<int> node_os;  // its node, by OS number
};

MeasuredCpus cpus_of(const Machine& machine);

enum class PairQuantity { latency, bandwidth };

PairPlan pair_plan(const Machine& machine, const Profile& profile, const MeasureOptions& options, PairQuantity what);

void measure_pairs(const PairPlan& pairs, const MeasuredCpus& cpus, PairQuantity what, ProgressPlan& plan,
                   Profile& profile);

// ---- caches and memory: measure_memory.cpp; each takes about `seconds` ----

void measure_working_sets(const Machine& machine, const MeasureOptions& options, double seconds, ProgressPlan& plan,
                          Profile& profile);
/// What one core of each node reads from each node's memory.
void measure_node_memory(const Machine& machine, const MeasureOptions& options, double seconds, ProgressPlan& plan,
                         Profile& profile);
void measure_stream(const Machine& machine, const MeasureOptions& options, ProgressPlan& plan, Profile& profile);
void measure_writes(const Machine& machine, const MeasureOptions& options, double seconds, ProgressPlan& plan,
                    Profile& profile);

}  // namespace charm::probe
