// One timed trial of a kernel, and how it joins the others of its row.
#pragma once

#include <chrono>
#include <string>

#include "workloads/kernel_run.hpp"

namespace charm::workloads {

struct Trial {
  double seconds = 0;
  double work = 0;
  std::string wrong;  ///< empty: the answer is right
  std::string detail;
};

template <class F>
double seconds_of(F&& f) {
  const auto start = std::chrono::steady_clock::now();
  f();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

inline void add(KernelRun& run, const Trial& trial) {
  run.seconds.push_back(trial.seconds);
  run.work.push_back(trial.work);
  if (!run.verified) return;  // the first wrong answer is the one that is described
  run.verified = trial.wrong.empty();
  run.detail = run.verified ? trial.detail : trial.wrong;
}

}  // namespace charm::workloads
