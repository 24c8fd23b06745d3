#include "tools/sim/run.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <numeric>

#include "base/random.hpp"
#include "controller/control_group.hpp"
#include "controller/setup.hpp"
#include "controller/width.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/steady.hpp"

namespace charm::sim {
namespace {

constexpr double tick = 0.05;         // a controller without a wish of its own is asked this often
constexpr double cold_slice = 0.001;  // while caches fill after a move

class Run {
 public:
  Run(const Model& model, Workload workload, SimulationPlan plan, const RunOptions& options)
      : model_(model),
        workload_(std::move(workload)),
        plan_(std::move(plan)),
        options_(options),
        states_(model_, workload_, plan_, options.backend, options.seed),
        random_(options.seed),
        workers_(plan_.placement.start().size()),
        level_(static_cast<std::size_t>(plan_.placement.initial)),
        cores_(level_),
        row_(level_),
        running_(workers_),
        counts_(workers_),
        cold_(workers_, 0),
        first_cost_(workload_.phases.size(), 0) {
    std::iota(running_.begin(), running_.end(), std::size_t{0});
    if (!plan_.controller.empty()) {
      const auto setup = controller::setup_for(model.machine, plan_.placement, controller::traits_for(model.machine));
      auto controller = controller::make_controller(plan_.controller, setup);
      if (options.width && controller->spreads().empty())
        controller = std::make_unique<controller::Width>(setup, std::move(controller));
      control_group_ = std::make_unique<controller::ControlGroup>(static_cast<int>(workers_), std::move(controller), 0);
      follow();
    }
    level_time_.assign(plan_.placement.levels.size(), 0);
    width_time_.assign(workers_ + 1, 0);
  }

  RunResult result() {
    pass(options_.warm_up);
    const double from = time_;
    operations_ = work_ = 0;
    fills_ = {};
    std::fill(level_time_.begin(), level_time_.end(), 0);
    std::fill(width_time_.begin(), width_time_.end(), 0);
    const std::size_t decided = control_group_ ? control_group_->decisions().size() : 0;
    stands_ = {{time_, plan_.placement.levels[level_]}};
    pass(options_.seconds);

    RunResult out;
    out.seconds = time_ - from;
    out.throughput = operations_ / out.seconds;
    out.efficiency = work_ / out.seconds;
    out.fills = fills_;
    out.levels = plan_.placement.levels;
    for (const double t : level_time_) out.level_share.push_back(t / out.seconds);
    out.running = static_cast<int>(std::max_element(width_time_.begin(), width_time_.end()) - width_time_.begin());
    out.worker_cores = plan_.placement.worker_cores[cores_];
    for (const auto& [time, chiplets] : stands_) out.stands.emplace_back(time - from, chiplets);
    out.sampling = states_.sampling();
    out.sampling_error = states_.error();
    if (control_group_) {
      const auto decisions = control_group_->decisions();
      for (std::size_t i = decided; i < decisions.size(); ++i) {
        const controller::Decision& made = decisions[i];
        out.moves.push_back(
            {made.time - from, made.from, made.to, made.workers_from, made.workers_to, made.reason, made.outcome});
      }
    }
    return out;
  }

 private:
  void pass(double seconds) {
    // Whoever leads comes by a little late, so that ticks and phases stand in no fixed ratio.
    for (double left = seconds; left > 1e-9;) {
      const double wanted =
          control_group_ ? std::min(control_group_->period(), tick) * (1 + 0.1 * random_.unit()) : tick;
      const double step = std::min(left, wanted);
      interval(step);
      left -= step;
    }
  }

  void interval(double seconds) {
    const double before = time_;
    const auto last = counts_;
    for (double left = seconds; left > 1e-12;) {
      double slice = std::min(left, workload_.phases[phase_].seconds - in_phase_);
      const bool warm = std::all_of(running_.begin(), running_.end(), [&](std::size_t w) { return cold_[w] <= 0; });
      if (!warm) slice = std::min(slice, cold_slice);
      play(slice);
      left -= slice;
      in_phase_ += slice;
      if (in_phase_ >= workload_.phases[phase_].seconds - 1e-12) {
        in_phase_ = 0;
        phase_ = (phase_ + 1) % workload_.phases.size();
      }
    }
    time_ = before + seconds;
    level_time_[level_] += seconds;
    width_time_[running_.size()] += seconds;
    if (!control_group_) return;
    shake(last);
    // All publish before the one who leads adds up.
    for (std::size_t w = 0; w < workers_; ++w) control_group_->poll(static_cast<int>(w), seen_[w], before);
    control_group_->poll(0, seen_[0], time_);
    follow();
  }

  /// What the counters show of the last interval: what happened, with scatter, and with the work of the tasks that
  /// happened to end in it.
  void shake(const std::vector<controller::Counts>& last) {
    const auto scatter = [&] { return options_.noise > 0 ? std::max(0.05, 1 + options_.noise * random_.normal()) : 1; };
    const double work = scatter(), instructions = scatter(), fills = scatter();
    if (seen_.empty()) seen_.resize(workers_);
    for (std::size_t w = 0; w < workers_; ++w) {
      controller::Counts more = counts_[w] - last[w];
      more.task_work *= work;
      more.instructions *= options_.counters ? instructions : 0;
      for (double& count : more.fills) count *= options_.counters ? fills : 0;
      seen_[w] += more;
      seen_[w].counters = options_.counters;
    }
  }

  /// Bytes of its own that a worker has in its chiplet's cache in the steady state.
  [[nodiscard]] double own_bytes(std::size_t w) const {
    const auto& worker_cores = plan_.placement.worker_cores[cores_];
    const Chiplet& chiplet = model_.machine.chiplets[static_cast<std::size_t>(worker_cores[w].chiplet)];
    double bytes = 0, sharing = 0;
    for (const auto& c : workload_.phases[phase_].components) {
      bytes += c.reach == Component::Reach::shared ? 0 : c.bytes;
    }
    for (const WorkerCore& worker_core : worker_cores)
      sharing += worker_core.chiplet == worker_cores[w].chiplet ? 1 : 0;
    return std::min(bytes, static_cast<double>(chiplet.l3_bytes) / sharing);
  }

  /// Goes where the control group wants the workers.
  void follow() {
    const auto level = static_cast<std::size_t>(plan_.placement.level_index(control_group_->spread()));
    if (level != level_) stands_.emplace_back(time_, plan_.placement.levels[level]);
    level_ = level;
    const std::size_t next = cores_wanted();
    if (next != cores_) move_to(next);
    rest();
  }

  void move_to(std::size_t next) {
    const auto &from = plan_.placement.worker_cores[cores_], &to = plan_.placement.worker_cores[next];
    cores_ = next;
    for (std::size_t w = 0; w < workers_; ++w) {
      if (from[w].core != to[w].core) stalled_ns_ += model_.costs.move_ns.value;
      if (from[w].chiplet != to[w].chiplet) cold_[w] = own_bytes(w);
    }
  }

  /// Lets rest whom the control group wants to rest. A worker that goes on finds its caches as others have left them.
  void rest() {
    std::vector<std::size_t> running;
    for (std::size_t w = 0; w < workers_; ++w) {
      if (!control_group_->rests(static_cast<int>(w))) running.push_back(w);
    }
    for (const std::size_t w : running) {
      if (!std::binary_search(running_.begin(), running_.end(), w)) cold_[w] = own_bytes(w);
    }
    running_ = std::move(running);
    row_ = cores_;
    if (running_.size() == workers_) return;
    auto& rows = plan_.placement.worker_cores;
    const auto [found, is_new] = narrow_.try_emplace({cores_, running_}, rows.size());
    if (is_new) {
      std::vector<WorkerCore> row;
      for (const std::size_t w : running_) row.push_back(rows[cores_][w]);
      rows.push_back(std::move(row));
    }
    row_ = found->second;
  }

  /// The row of the placement's cores: that of the level, or where each worker decides for itself one that is added.
  std::size_t cores_wanted() {
    std::vector<std::size_t> by_worker;
    for (std::size_t w = 0; w < workers_; ++w) {
      const int spread = control_group_->spread_of(static_cast<int>(w));
      by_worker.push_back(static_cast<std::size_t>(plan_.placement.level_index(spread)));
    }
    if (std::all_of(by_worker.begin(), by_worker.end(), [&](std::size_t at) { return at == by_worker.front(); }))
      return by_worker.front();
    auto& rows = plan_.placement.worker_cores;
    const auto [found, is_new] = mixed_.try_emplace(by_worker, rows.size());
    if (is_new) {
      std::vector<WorkerCore> row;
      for (std::size_t w = 0; w < workers_; ++w) row.push_back(rows[by_worker[w]][w]);
      rows.push_back(std::move(row));
    }
    return found->second;
  }

  void play(double seconds) {
    const Rates& rates = states_.at(phase_, row_);
    const Phase& phase = workload_.phases[phase_];
    const double best = states_.best(phase_);
    const double ns = seconds * 1e9, lost = std::min(1.0, stalled_ns_ / (ns * static_cast<double>(workers_)));
    stalled_ns_ = std::max(0.0, stalled_ns_ - ns * static_cast<double>(workers_));
    // As the runtime weighs a kind of work: by what it cost when it was first seen, wherever the workers were then.
    if (first_cost_[phase_] == 0) first_cost_[phase_] = static_cast<double>(running_.size()) / rates.operations_per_s;
    double rate_of_all = 0;
    for (const auto& worker : rates.workers) rate_of_all += 1e9 / worker.ns_per_operation;
    const double running = rates.operations_per_s / rate_of_all;
    for (std::size_t at = 0; at < running_.size(); ++at) {
      const std::size_t w = running_[at];
      const WorkerRate& worker = rates.workers[at];
      double ns_per_operation = worker.ns_per_operation;
      Fills fills = worker.fills;
      if (cold_[w] > 0) warm_up(w, seconds, ns_per_operation, fills);
      const double operations = ns / ns_per_operation * running * (1 - lost);
      controller::Counts& c = counts_[w];
      c.busy += seconds * rates.busy;
      c.tasks += operations / phase.task_operations;
      c.task_work += operations * first_cost_[phase_];
      c.instructions += operations * phase.instructions;
      for (std::size_t e = 0; e < controller::sources_beyond_l2.size(); ++e) c.fills[e] += operations * fills[e + 1];
      for (std::size_t s = 0; s < sources; ++s) fills_[s] += operations * fills[s];
      operations_ += operations;
      work_ += operations / best;
    }
  }

  /// After a move what would be hits comes from where the worker was, until it has all been fetched.
  void warm_up(std::size_t w, double seconds, double& ns_per_operation, Fills& fills) {
    const double whole = std::max(own_bytes(w), line_bytes), cold = std::min(1.0, cold_[w] / whole);
    const double fetched = (fills[0] + fills[1]) * cold;
    ns_per_operation +=
        fetched * (model_.costs.other_chiplet_ns.value - model_.costs.l3_ns.value) / model_.costs.mlp.value;
    fills[0] *= 1 - cold;
    fills[1] *= 1 - cold;
    fills[2] += fetched;
    cold_[w] -= seconds * 1e9 / ns_per_operation * fetched * line_bytes;
    if (cold_[w] < whole * 1e-3) cold_[w] = 0;
  }

  const Model& model_;
  Workload workload_;
  SimulationPlan plan_;
  RunOptions options_;
  SteadyStates states_;
  base::Random random_;
  std::size_t workers_, level_, cores_, row_, phase_ = 0;  // rows of the placement: of all workers, of those that run
  std::vector<std::size_t> running_;                       // in ascending order
  double time_ = 0, in_phase_ = 0, stalled_ns_ = 0, operations_ = 0, work_ = 0;
  std::unique_ptr<controller::ControlGroup> control_group_;
  std::vector<controller::Counts> counts_;
  std::vector<controller::WorkerTotals> seen_;
  std::map<std::vector<std::size_t>, std::size_t> mixed_;  // by the workers' levels: the row of their cores
  std::map<std::pair<std::size_t, std::vector<std::size_t>>, std::size_t> narrow_;  // by row and those that run: theirs
  std::vector<double> cold_, level_time_, width_time_;
  std::vector<std::pair<double, int>> stands_;
  std::vector<double> first_cost_;  // by phase: seconds of a worker for an operation
  Fills fills_{};
};

}  // namespace

RunResult run(const Model& model, const std::string& workload_spec, const std::string& policy, int workers,
              const RunOptions& options) {
  Workload work = workload(workload_spec, workers);
  SimulationPlan plan = plan_for(policy, model, work, workers);
  if (options.width && plan.controller.empty()) plan.controller = "static";
  const std::string unit = work.unit;
  RunResult result = Run(model, std::move(work), std::move(plan), options).result();
  result.machine = model.name;
  result.workload = workload_spec;
  result.policy = policy;
  result.unit = unit;
  result.workers = workers;
  return result;
}

}  // namespace charm::sim
