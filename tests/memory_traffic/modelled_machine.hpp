// A machine that is a model, on which programs run: what each of them reads, and what the buses carry then.
#pragma once

#include <algorithm>
#include <vector>

#include "tools/memory_traffic/smoothing.hpp"

namespace charm::memory_traffic::test {

struct Program {
  int root = 0;
  double demand = unlimited;
  Weights layout;  ///< of its blocks; sums to 1
  double gb_per_s = 0;
};

inline Bandwidths& operator+=(Bandwidths& to, const Bandwidths& more) {
  const auto add = [](std::vector<double>& a, const std::vector<double>& b) {
    for (std::size_t i = 0; i < a.size(); ++i) a[i] += b[i];
  };
  add(to.out, more.out);
  add(to.in, more.in);
  add(to.memory, more.memory);
  return to;
}

inline Bandwidths flow_of(const Model& model, const Program& program, double gb_per_s) {
  Weights flow = program.layout;
  for (double& part : flow) part *= gb_per_s;
  return flow_on_buses(model, program.root, flow);
}

/// Fair shares: all programs read faster and faster; one stops where a bus or memory that it uses is full, or its
/// demand is met.
inline void share_fairly(const Model& model, std::vector<Program>& programs) {
  const Bandwidths all = capacities(model);
  std::vector<bool> stopped(programs.size(), false);
  for (Program& program : programs) program.gb_per_s = 0;
  for (std::size_t round = 0; round <= programs.size(); ++round) {
    Bandwidths fixed = flow_on_buses(model, programs.front().root, Weights(model.memories.size(), 0));
    Bandwidths growing = fixed;
    for (std::size_t p = 0; p < programs.size(); ++p)
      (stopped[p] ? fixed : growing) += flow_of(model, programs[p], stopped[p] ? programs[p].gb_per_s : 1);
    double level = 1e9;
    for (std::size_t p = 0; p < programs.size(); ++p) {
      if (!stopped[p]) level = std::min(level, programs[p].demand);
    }
    const auto limit = [&](auto member) {
      for (std::size_t i = 0; i < (all.*member).size(); ++i) {
        if ((growing.*member)[i] > 1e-12)
          level = std::min(level, std::max(0.0, (all.*member)[i] - (fixed.*member)[i]) / (growing.*member)[i]);
      }
    };
    limit(&Bandwidths::out);
    limit(&Bandwidths::in);
    limit(&Bandwidths::memory);
    bool any = false;
    for (std::size_t p = 0; p < programs.size(); ++p) {
      if (stopped[p]) continue;
      programs[p].gb_per_s = level;
      bool full = level >= programs[p].demand - 1e-9;
      const Bandwidths own = flow_of(model, programs[p], 1);
      const auto check = [&](auto member) {
        for (std::size_t i = 0; i < (all.*member).size(); ++i) {
          full = full || ((own.*member)[i] > 1e-12 &&
                          (fixed.*member)[i] + level * (growing.*member)[i] >= (all.*member)[i] - 1e-9);
        }
      };
      check(&Bandwidths::out);
      check(&Bandwidths::in);
      check(&Bandwidths::memory);
      stopped[p] = full;
      any = any || !full;
    }
    if (!any) break;
  }
}

}  // namespace charm::memory_traffic::test
