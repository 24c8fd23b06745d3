// Programs whose speed by the number of workers is known, and a controller of the width that runs them.
#pragma once

#include <algorithm>
#include <cmath>
#include <functional>
#include <random>
#include <string>
#include <vector>

#include "controller/controller.hpp"
#include "controller/setup.hpp"
#include "controller/width.hpp"

namespace charm::controller::model {

using WidthSetup = Setup;  // gtest's Test has a member of that name

/// `workers` on chiplets of `each`, at one level of spread.
inline WidthSetup setup_of(int workers, int each) {
  WidthSetup setup;
  setup.workers = workers;
  setup.chiplets = (workers + each - 1) / each;
  setup.cores_per_chiplet = each;
  setup.levels = {setup.chiplets};
  setup.chiplet_of.emplace_back();
  for (int w = 0; w < workers; ++w) setup.chiplet_of.back().push_back(w / each);
  return setup;
}

/// Work per second by the number of running workers and the number of chiplets on which they run.
using WidthSpeed = std::function<double(double workers, double chiplets)>;

struct WorkKind {
  std::string name;
  WidthSpeed speed;
  double fills = 10;  // per 1,000 instructions
};

/// What limits parallel programs, one kind each.
inline std::vector<WorkKind> work_kinds(const WidthSetup& setup) {
  const double all = setup.workers, caches = setup.chiplets;
  return {
      {"parallel", [](double w, double) { return w; }},
      {"latency", [](double w, double) { return 0.3 * w; }, 30},
      {"one line", [](double w, double c) { return w == 1 ? 4 : (c == 1 ? 1.2 : 0.8); }, 40},
      {"one line and other work",
       [](double w, double c) { return w / (1 + 0.02 * w + (c > 1 ? 0.004 : 0.001) * w * w); }, 12},
      {"lock", [](double w, double c) { return w == 1 ? 2.2 : 1 / (1 + (c > 1 ? 0.02 : 0.005) * w); }, 45},
      {"bandwidth", [all](double w, double c) { return std::min(w, 6 * c) * (1 - 0.15 * w / all); }, 25},
      {"caches",
       [all, caches](double w, double c) {
         const double per_cache = w / c;  // workers whose data share one
         return w * (per_cache > all / caches / 2 ? 0.3 : 1);
       },
       22},
  };
}

struct WidthProgram {
  const WidthSetup& setup;
  double noise = 0;
  bool counters = true;
  unsigned seed = 1;
  double waited = 0;   // share of the busy time
  double covered = 1;  // share of the busy time that is in tasks of known cost
  bool user_work = false;
  double fill_noise = 0.02;
  double bound = 0;  // share of the work of workers that are to rest that they do all the same
};

class WidthRun {
 public:
  explicit WidthRun(const WidthProgram& program)
      : program_(program),
        random_(program.seed),
        width_(program.setup, make_controller("static", program.setup)),
        resting_(static_cast<std::size_t>(program.setup.workers), 0) {}

  /// One tick of a kind. \return work per second, over that of full width.
  double tick(const WorkKind& kind) {
    const WidthSetup& setup = program_.setup;
    std::vector<int> on(static_cast<std::size_t>(setup.chiplets), 0);
    double running = 0;
    for (std::size_t w = 0; w < resting_.size(); ++w) {
      if (resting_[w] != 0) continue;
      ++running;
      ++on[static_cast<std::size_t>(setup.chiplet_of.front()[w])];
    }
    const auto chiplets = static_cast<double>(std::count_if(on.begin(), on.end(), [](int n) { return n > 0; }));
    const double speed = kind.speed(running, chiplets), full = kind.speed(setup.workers, setup.chiplets);
    Signals now;
    now.elapsed = width_.period();
    now.time = time_ += now.elapsed;
    now.workers = static_cast<int>(running);
    now.busy = now.elapsed * running;
    const double seen = speed * now.elapsed * std::exp(program_.noise * gauss_(random_));
    if (program_.user_work) now.user_work = seen;
    // The cost of a task is what it was at full width.
    now.task_work = program_.covered * seen / full * setup.workers;
    now.tasks = 1000 * seen;
    now.waited = program_.waited * now.busy;
    now.resting_busy = program_.bound * now.elapsed * (setup.workers - running);
    if (program_.counters) {
      now.counters = true;
      now.instructions = 1e9;
      now.fills[0] = kind.fills * 1e6 * std::exp(program_.fill_noise * gauss_(random_));
    }
    width_.tick(now);
    const auto rests = width_.resting();
    resting_.assign(resting_.size(), 0);
    std::copy(rests.begin(), rests.end(), resting_.begin());
    return speed / full;
  }

  /// Seconds of a kind. \return the mean speed over full width.
  double seconds(double length, const WorkKind& kind) {
    const double start = time_;
    double sum = 0;
    for (double before = start; before < start + length; before = time_) {
      const double speed = tick(kind);
      sum += speed * (time_ - before);
    }
    return sum / (time_ - start);
  }
  [[nodiscard]] double time() const { return time_; }

  [[nodiscard]] const Width& width() const { return width_; }
  void enter_again() { width_.entered(); }
  void count_work() { program_.user_work = true; }
  [[nodiscard]] int running() const { return width_.level().workers; }
  [[nodiscard]] int trials() const {
    int count = 0;
    for (const auto& decision : width_.log().entries())
      count += decision.reason.find("faster") != std::string::npos ? 1 : 0;
    return count;
  }

 private:
  WidthProgram program_;
  std::mt19937_64 random_;
  std::normal_distribution<double> gauss_;
  Width width_;
  std::vector<char> resting_;
  double time_ = 0;
};

}  // namespace charm::controller::model
