// A program that is not there, with an thread placer that steers it and a clock of its own.
#pragma once

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "attach/fake_system.hpp"
#include "placement/machines.hpp"
#include "tools/attach/thread_placer.hpp"

namespace charm::test {

inline attach::AttachPlan plan_on(const Machine& machine, const std::string& policy, int spread = 0) {
  attach::PlanRequest request;
  request.policy = policy;
  attach::AttachPlan plan = attach::make_plan(machine, request, base::resolve({}, [](const char*) { return nullptr; }));
  plan.request.spread = spread;
  return plan;
}

/// Time goes on, the program does what its threads want, and the thread placer does what is due.
struct SteeredProgram {
  SteeredProgram(const Machine& on, const std::string& policy, bool attached = false, int spread = 0)
      : machine(on),
        program(machine.allowed_cpus),
        thread_placer(program, plan_on(machine, policy, spread), machine.allowed_cpus, attached, 0) {}
  void pass(double seconds) {
    for (const double end = now + seconds; now < end; now += 0.01) {
      program.pass(0.01);
      const bool hears = program.tells_news() && now >= thread_placer.next_look();
      if (now >= due || hears) due = thread_placer.step(now);
    }
  }
  [[nodiscard]] std::vector<int> cpus_of_workers() const {
    std::vector<int> cpus;
    for (const auto& row : thread_placer.rows()) {
      if (row.worker) cpus.insert(cpus.end(), row.cpus.begin(), row.cpus.end());
    }
    std::sort(cpus.begin(), cpus.end());
    return cpus;
  }
  Machine machine;
  FakeProgram program;
  attach::ThreadPlacer thread_placer;
  double now = 0, due = 0;
};

}  // namespace charm::test
