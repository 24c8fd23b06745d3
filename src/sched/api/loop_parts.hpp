// Divides a range among the chiplets that have workers: in proportion to their workers, in the order of the
// chiplets, so that neighbours in the range are neighbours on the machine. The same range is divided the same way in
// every call, as long as the workers keep their cores.
#pragma once

#include <charm/runtime.hpp>

#include <algorithm>
#include <cstddef>
#include <utility>
#include <vector>

namespace charm::detail {

struct LoopParts {
  struct Part {
    int chiplet;
    std::vector<int> workers;
  };
  std::vector<Part> parts;     // by chiplet
  std::vector<int> of_worker;  // index into parts
  std::vector<int> cores;      // by worker; -1 for one that is not bound
  std::size_t workers = 0;

  LoopParts() {
    const std::vector<WorkerCore> all = worker_cores();
    workers = all.size();
    for (const WorkerCore& each : all) cores.push_back(each.core);
    std::vector<int> order(all.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = static_cast<int>(i);
    auto chiplet = [&](int worker) { return all[static_cast<std::size_t>(worker)].chiplet; };
    std::sort(order.begin(), order.end(),
              [&](int a, int b) { return std::pair(chiplet(a), a) < std::pair(chiplet(b), b); });
    of_worker.resize(all.size());
    for (int worker : order) {
      if (parts.empty() || parts.back().chiplet != chiplet(worker)) parts.push_back({chiplet(worker), {}});
      parts.back().workers.push_back(worker);
      of_worker[static_cast<std::size_t>(worker)] = static_cast<int>(parts.size()) - 1;
    }
  }
};

}  // namespace charm::detail
