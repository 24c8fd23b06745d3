// A model of a machine that runs a workload on a placement: small, but with the effects that decide where workers
// should run.
//
//   - a last-level cache serves the workers of its own chiplet only; a sweep over F bytes in a cache of M hits with
//     probability h = exp(-(1-h) F/M) (1 where it fits);
//   - a shared line costs 24 ns within a chiplet, 106 ns between chiplets, 200 ns between sockets;
//   - misses overlap (8 in flight) and share their chiplet's link (45 GB/s) and their socket's memory (155 GB/s);
//   - workers that a map puts on one core share its time;
//   - who moves stalls 20 us and leaves its lines behind: they come from the old chiplet's cache as they are touched.
//
// It gives signals as counters would, with scatter if wanted, so that controllers run against it as they are. For the
// tests and benchmarks of the controllers; `charm sim` has the full models (src/tools/sim).
#pragma once

#include <algorithm>
#include <cmath>
#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "controller/setup.hpp"
#include "controller/signals.hpp"
#include "placement/placement.hpp"

namespace charm::controller::model {

struct Workload {
  enum class Sharing { none, pairs, all };
  std::string name;
  double private_mb = 0;        // swept by each worker
  double private_accesses = 1;  // per operation
  Sharing sharing = Sharing::none;
  double compute_ns = 0;  // per operation, beside the accesses' own
};

inline Workload private_sweep(double mb) {
  return {"private " + std::to_string(static_cast<int>(mb)) + " MB/worker", mb, 1, Workload::Sharing::none, 0};
}
inline Workload pairs() { return {"producer-consumer pairs", 0, 0, Workload::Sharing::pairs, 0}; }
inline Workload all_to_all() { return {"all-to-all sharing", 0, 0, Workload::Sharing::all, 0}; }
inline Workload pairs_and_private(double mb) { return {"pairs + private", mb, 23.4, Workload::Sharing::pairs, 0}; }
inline Workload compute_bound() { return {"compute-bound", 0.1, 1, Workload::Sharing::none, 400}; }

/// What one worker does at one level in the steady state.
struct Rate {
  double ns_per_op = 1;
  double hit = 1;                          // of its private sweep
  double same = 0, other = 0, remote = 0;  // shared lines per operation, by where they come from
};

class Model {
 public:
  struct Step {
    Workload workload;
    double seconds = 1e18;
  };
  struct Options {
    double noise = 0;  // standard deviation of every number of a sample, relative
    bool counters = true;
    unsigned seed = 1;
  };

  /// \param reference the placement whose best level counts as 1: the same for all controllers that are compared, also
  ///        for one that steers a map of its own.
  Model(const Machine& machine, const placement::Placement& placement, const placement::Placement& reference,
        std::vector<Step> program, Options options)
      : machine_(machine),
        placement_(placement),
        program_(std::move(program)),
        options_(options),
        random_(options.seed) {
    level_ = static_cast<std::size_t>(placement_.initial);
    cold_.assign(placement_.start().size(), 0);
    for (const Step& step : program_) {
      rates_.push_back(all_rates(step.workload, placement));
      ideal_.push_back(0);
      for (const Row& row : all_rates(step.workload, reference))
        ideal_.back() = std::max(ideal_.back(), throughput(row));
    }
  }

  [[nodiscard]] std::size_t levels() const { return placement_.levels.size(); }

  /// Work per second at a level, as a share of the best level's, in the steady state.
  [[nodiscard]] double efficiency(std::size_t step, std::size_t level) const {
    return throughput(rates_[step][level]) / ideal_[step];
  }
  /// Of the whole program at one level.
  [[nodiscard]] double efficiency(std::size_t level) const {
    double sum = 0, seconds = 0;
    for (std::size_t s = 0; s < program_.size(); ++s) {
      sum += efficiency(s, level) * program_[s].seconds;
      seconds += program_[s].seconds;
    }
    return sum / seconds;
  }
  [[nodiscard]] double best_static() const {
    double best = 0;
    for (std::size_t l = 0; l < levels(); ++l) best = std::max(best, efficiency(l));
    return best;
  }

  void move_to(int spread) {
    auto next = static_cast<std::size_t>(placement_.level_index(spread));
    if (next == level_) return;
    double bytes = program_[step_].workload.private_mb * 1e6;
    for (std::size_t w = 0; w < cold_.size(); ++w) {
      if (placement_.worker_cores[next][w].core != placement_.worker_cores[level_][w].core) stall_s_ += 20e-6;
      if (placement_.worker_cores[next][w].chiplet != placement_.worker_cores[level_][w].chiplet) cold_[w] = bytes;
    }
    level_ = next;
    ++moves_;
  }

  /// Runs for `seconds`. \returns what a sampler would have seen.
  Signals run(double seconds) {
    Signals s;
    s.elapsed = seconds;
    s.workers = static_cast<int>(cold_.size());
    s.busy = seconds * s.workers;
    s.counters = options_.counters;
    double lost = std::min(1.0, stall_s_ / s.busy);
    stall_s_ = 0;
    for (double left = seconds; left > 1e-12;) {
      double slice = std::min(left, program_[step_].seconds - in_step_);
      bool warm = std::all_of(cold_.begin(), cold_.end(), [](double bytes) { return bytes <= 0; });
      if (!warm) slice = std::min(slice, 0.001);
      run_slice(slice, s);
      left -= slice;
      in_step_ += slice;
      if (in_step_ >= program_[step_].seconds - 1e-12) {
        in_step_ = 0;
        step_ = (step_ + 1) % program_.size();
      }
    }
    time_ += seconds;
    done_ += s.task_work * (1 - lost);
    s.time = time_;
    s.task_work *= (1 - lost) * scatter();
    s.tasks = s.busy / 200e-6;
    s.instructions *= scatter();
    for (double& fills : s.fills) fills *= scatter();
    if (!s.counters) {
      s.instructions = 0;
      s.fills = {};
    }
    return s;
  }

  /// Work done so far, in seconds of the best level's.
  [[nodiscard]] double done() const { return done_; }
  [[nodiscard]] int moves() const { return moves_; }

 private:
  using Row = std::vector<Rate>;

  static double throughput(const Row& row) {
    double sum = 0;
    for (const Rate& rate : row) sum += 1 / rate.ns_per_op;
    return sum;
  }

  static double hit_rate(double footprint, double cache) {
    if (footprint <= cache) return 1;
    double h = 0;
    for (int i = 0; i < 200; ++i) h = std::exp(-(1 - h) * footprint / cache);
    return h;
  }

  static double op_ns(const Workload& w, const Rate& r, double hit) {
    double accesses = w.private_accesses * (1.6 + (hit * 13 + (1 - hit) * 105) / 8);
    double lines = r.same + r.other + r.remote;
    return w.compute_ns + accesses + lines * 24 + r.same * 24 + r.other * 106 + r.remote * 200;
  }

  std::vector<Row> all_rates(const Workload& w, const placement::Placement& placement) const {
    std::vector<Row> rates;
    for (const auto& worker_cores : placement.worker_cores) rates.push_back(rates_of(w, worker_cores));
    return rates;
  }

  Row rates_of(const Workload& w, const std::vector<WorkerCore>& worker_cores) const {
    std::map<int, int> load, sharers;
    for (const WorkerCore& worker_core : worker_cores) {
      ++load[worker_core.chiplet];
      ++sharers[worker_core.core];
    }
    Row row(worker_cores.size());
    std::map<int, double> link, memory;  // bytes per ns wanted
    auto partner = [&](Rate& rate, const WorkerCore& a, const WorkerCore& b, double share) {
      (a.chiplet == b.chiplet ? rate.same : a.socket == b.socket ? rate.other : rate.remote) += share;
    };
    for (std::size_t i = 0; i < worker_cores.size(); ++i) {
      Rate& rate = row[i];
      double cache = static_cast<double>(machine_.chiplets[static_cast<std::size_t>(worker_cores[i].chiplet)].l3_bytes);
      rate.hit = hit_rate(w.private_mb * 1e6 * load[worker_cores[i].chiplet], cache);
      if (w.sharing == Workload::Sharing::pairs && (i ^ 1U) < worker_cores.size())
        partner(rate, worker_cores[i], worker_cores[i ^ 1U], 1);
      if (w.sharing == Workload::Sharing::all) {
        for (std::size_t j = 0; j < worker_cores.size(); ++j) {
          if (j != i)
            partner(rate, worker_cores[i], worker_cores[j], 1.0 / static_cast<double>(worker_cores.size() - 1));
        }
      }
      rate.ns_per_op = op_ns(w, rate, rate.hit);
      double wanted = w.private_accesses * (1 - rate.hit) * 64 / rate.ns_per_op;
      link[worker_cores[i].chiplet] += wanted;
      memory[worker_cores[i].socket] += wanted;
    }
    for (std::size_t i = 0; i < worker_cores.size(); ++i) {
      double jam = std::max(link[worker_cores[i].chiplet] / 45, memory[worker_cores[i].socket] / 155);
      if (row[i].hit < 1 && jam > 1) row[i].ns_per_op *= jam;
      row[i].ns_per_op *= sharers[worker_cores[i].core];
    }
    return row;
  }

  void run_slice(double slice, Signals& s) {
    const Workload& w = program_[step_].workload;
    const Row& row = rates_[step_][level_];
    auto fills = [&](FillSource source) -> double& { return s.fills[index_beyond_l2(source)]; };
    double bytes = w.private_mb * 1e6;
    for (std::size_t i = 0; i < row.size(); ++i) {
      double cold = bytes > 0 ? std::min(1.0, cold_[i] / bytes) : 0;
      // A cold line comes from the old chiplet's cache where it was there, and from memory like any other miss if not.
      double fetched = row[i].hit * cold;
      double ns = row[i].ns_per_op + w.private_accesses * fetched * (106 - 13) / 8;
      double ops = slice * 1e9 / ns;
      cold_[i] = std::max(0.0, cold_[i] - ops * w.private_accesses * cold * 64);
      if (cold_[i] < bytes * 1e-3) cold_[i] = 0;
      s.task_work += ops / ideal_[step_] / 1e9;
      s.instructions +=
          ops * 4 * (w.compute_ns + 1.6 * w.private_accesses + (row[i].same + row[i].other + row[i].remote) * 24);
      fills(FillSource::own_chiplet) += ops * (w.private_accesses * (row[i].hit - fetched) + row[i].same);
      fills(FillSource::other_chiplet) += ops * (w.private_accesses * fetched + row[i].other);
      fills(FillSource::remote_cache) += ops * row[i].remote;
      fills(FillSource::local_dram) += ops * w.private_accesses * (1 - row[i].hit);
    }
  }

  double scatter() {
    return options_.noise > 0 ? std::max(0.05, std::normal_distribution<double>(1, options_.noise)(random_)) : 1;
  }

  const Machine& machine_;
  const placement::Placement& placement_;
  std::vector<Step> program_;
  Options options_;
  std::mt19937 random_;
  std::vector<std::vector<Row>> rates_;  // [step][level]
  std::vector<double> ideal_;
  std::size_t level_ = 0, step_ = 0;
  double in_step_ = 0, time_ = 0, done_ = 0, stall_s_ = 0;
  std::vector<double> cold_;
  int moves_ = 0;
};

}  // namespace charm::controller::model
