#include "tools/sim/job.hpp"

#include <map>

namespace charm::sim {
namespace {

int key_of(const WorkerCore& worker_core, Domain domain, int worker) {
  switch (domain) {
    case Domain::worker:
      return worker;
    case Domain::chiplet:
      return worker_core.chiplet;
    case Domain::node:
      return worker_core.node;
    case Domain::machine:
      break;
  }
  return 0;
}

}  // namespace

std::vector<std::vector<int>> groups_of(const Job& job, const Component& component) {
  std::map<int, std::vector<int>> groups;
  for (int w = 0; w < static_cast<int>(job.worker_cores.size()); ++w) {
    const WorkerCore& worker_core = job.worker_cores[static_cast<std::size_t>(w)];
    const auto key_in = [&](Domain domain) {
      return job.processes.empty() ? key_of(worker_core, domain, w) : job.processes[static_cast<std::size_t>(w)];
    };
    int key = w / 2;
    if (component.reach == Component::Reach::own) key = key_in(job.habits.roam);
    if (component.reach == Component::Reach::shared) key = component.replicable ? key_in(job.habits.replicas) : 0;
    groups[key].push_back(w);
  }
  std::vector<std::vector<int>> out;
  for (auto& [key, workers] : groups) out.push_back(std::move(workers));
  return out;
}

double group_bytes(const Component& component, std::size_t workers) {
  const double parts = component.reach == Component::Reach::shared ? 1 : static_cast<double>(workers);
  return component.bytes * parts;
}

bool wanders(const Component& component, std::size_t workers) {
  return component.reach == Component::Reach::own && workers > 1;
}

}  // namespace charm::sim
