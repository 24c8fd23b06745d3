#include "tools/sim/dag_schedule.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <deque>
#include <numeric>
#include <queue>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "tools/sim/workload.hpp"

namespace charm::sim {
namespace {

constexpr int probes_before_sleep = 2;  // times the number of workers: oneTBB's threshold in task_stream and arena

class DagSimulation {
 public:
  DagSimulation(const Model& model, int workers, const TaskDag& dag, DagSchedule schedule, const DagCosts& costs,
                std::uint64_t seed)
      : model_(model), dag_(dag), schedule_(schedule), costs_(costs), random_(seed), tasks_(dag.tasks.size()) {
    const auto cores = static_cast<int>(model.machine.cores.size());
    if (workers < 1 || workers > cores)
      throw Error(Errc::too_many_workers, std::to_string(workers) + " workers on " + std::to_string(cores) + " cores",
                  "take a worker for each core at most");
    std::vector<int> order(static_cast<std::size_t>(workers));
    std::iota(order.begin(), order.end(), 0);
    if (schedule == DagSchedule::one_queue || schedule == DagSchedule::random_deques) random_.shuffle(order);
    for (const int core : order) {
      workers_.push_back({core, model.machine.cores[static_cast<std::size_t>(core)].chiplet});
    }
    std::size_t queues = 1;
    if (schedule == DagSchedule::random_deques) queues = workers_.size();
    if (schedule == DagSchedule::chiplet_queues) queues = model.machine.chiplets.size();
    queues_.resize(queues);
    links_.assign(static_cast<std::size_t>(model.machine.sockets.size()), 0);
    for (const DagTask& task : dag.tasks) {
      for (const int after : task.after) ++at(after).left;
    }
    for (std::size_t t = 0; t < dag.tasks.size(); ++t) {
      for (const int after : dag.tasks[t].after) at(after).before.push_back(static_cast<int>(t));
    }
    const double rate = dag.run_ns() > 0 ? dag.gflop * 1e9 / dag.run_ns() : 0;  // Gflop/s at which it was recorded
    slowness_ = std::max(1.0, rate / costs.gflops_per_core);
  }

  DagRunResult run() {
    std::vector<int> ready;
    for (std::size_t t = 0; t < tasks_.size(); ++t) {
      if (tasks_[t].left == 0) ready.push_back(static_cast<int>(t));
    }
    if (schedule_ == DagSchedule::batch) {
      run_levels(std::move(ready));
      return out_;
    }
    for (std::size_t w = 1; w < workers_.size(); ++w) idle(static_cast<int>(w));
    double now = 0;
    for (std::size_t i = 1; i < ready.size(); ++i) now = publish(0, ready[i], now);
    if (!ready.empty()) start(0, ready.front(), now);
    while (!events_.empty()) {
      const Event event = events_.top();
      events_.pop();
      if (event.turn == worker(event.worker).turn) step(event.time, event.worker);
    }
    return out_;
  }

 private:
  struct TaskState {
    int left = 0;         // predecessors that have not ended
    int core = -1;        // on which it ran
    int counted_by = -1;  // the core that has its counter
    std::vector<int> before;
  };
  struct Worker {
    int core = 0, chiplet = 0;
    int task = -1;    // that it runs
    int handed = -1;  // that it was given while idle
    int failures = 0;
    bool idle = false, asleep = false;
    long turn = 0;
  };
  struct Queue {
    std::deque<int> tasks;
    double free_at = 0;  // of its lock
    int core = -1;       // that has its lines
  };
  struct Event {
    double time;
    int worker;
    long turn;
    bool operator<(const Event& other) const { return time != other.time ? time > other.time : worker > other.worker; }
  };

  TaskState& at(int t) { return tasks_[static_cast<std::size_t>(t)]; }
  Worker& worker(int w) { return workers_[static_cast<std::size_t>(w)]; }
  Queue& queue(int q) { return queues_[static_cast<std::size_t>(q)]; }
  void wait_until(double time, int w) { events_.push({time, w, ++worker(w).turn}); }
  [[nodiscard]] double transfer(int core_a, int core_b) const {
    return core_a < 0 || core_a == core_b ? 0 : model_.transfer_ns(core_a, core_b);
  }
  int queue_of(int w) {
    if (schedule_ == DagSchedule::random_deques) return w;
    return schedule_ == DagSchedule::chiplet_queues ? worker(w).chiplet : 0;
  }

  void idle(int w) {
    worker(w).idle = true;
    worker(w).asleep = schedule_ != DagSchedule::one_queue;  // libgomp's threads spin for longer than these runs take
  }

  /// A turn at a queue's lock. \return when it is over.
  double use(int q, int w, double now) {
    Queue& used = queue(q);
    now = std::max(now, used.free_at) + transfer(used.core, worker(w).core) + costs_.lock_ns;
    used.free_at = now;
    used.core = worker(w).core;
    return now;
  }

  void wake(int w, double now, int from) {
    Worker& woken = worker(w);
    now += transfer(worker(from).core, woken.core) + (woken.asleep ? costs_.wake_ns : 0);
    woken.idle = woken.asleep = false;
    woken.failures = 0;
    wait_until(now, w);
  }

  /// An idle worker, of this chiplet if it is not -1; -1: there is none.
  int idle_worker(int chiplet) {
    int found = -1, seen = 0;
    for (std::size_t w = 0; w < workers_.size(); ++w) {
      if (!workers_[w].idle || (chiplet >= 0 && workers_[w].chiplet != chiplet)) continue;
      if (random_.below(static_cast<std::uint32_t>(++seen)) == 0) found = static_cast<int>(w);
    }
    return found;
  }

  /// Chiplets by the time of a transfer from a core, the own first.
  std::vector<int> by_distance(int w) {
    std::vector<std::pair<double, int>> all;
    for (const Chiplet& chiplet : model_.machine.chiplets) {
      const int core = first_core(chiplet.id);
      const double ns = chiplet.id == worker(w).chiplet ? 0 : model_.transfer_ns(worker(w).core, core);
      all.emplace_back(ns, chiplet.id);
    }
    std::sort(all.begin(), all.end());
    std::vector<int> ids;
    ids.reserve(all.size());
    for (const auto& entry : all) ids.push_back(entry.second);
    return ids;
  }
  [[nodiscard]] int first_core(int chiplet) const {
    const auto& cores = model_.machine.cores;
    const auto found = std::find_if(cores.begin(), cores.end(), [&](const Core& c) { return c.chiplet == chiplet; });
    return static_cast<int>(found - cores.begin());
  }

  /// A task that is ready and that the worker does not go on with. \return when the worker is done with it.
  double publish(int w, int t, double now) {
    if (schedule_ == DagSchedule::chiplet_queues) {
      if (const int other = idle_worker(worker(w).chiplet); other >= 0) {
        worker(other).handed = t;
        now += transfer(worker(w).core, worker(other).core);  // its state
        wake(other, now, w);
        return now;
      }
    }
    if (schedule_ == DagSchedule::random_deques) {
      queue(w).tasks.push_back(t);
      if (const int other = idle_worker(-1); other >= 0) wake(other, now, w);
      return now + costs_.spawn_ns;
    }
    const int q = queue_of(w);
    now = use(q, w, now) + costs_.spawn_ns;
    queue(q).tasks.push_back(t);
    if (schedule_ == DagSchedule::one_queue) {
      for (std::size_t other = 0; other < workers_.size(); ++other) {
        if (workers_[other].idle) wake(static_cast<int>(other), now, w);
      }
      return now;
    }
    for (const int chiplet : by_distance(w)) {
      const int other = idle_worker(chiplet);
      if (other < 0) continue;
      wake(other, now, w);
      break;
    }
    return now;
  }

  void step(double now, int w) {
    Worker& me = worker(w);
    if (me.task >= 0) {
      const int ended = me.task;
      me.task = -1;
      end(now, w, ended);
    } else if (me.handed >= 0) {
      const int t = me.handed;
      me.handed = -1;
      start(w, t, now);
    } else {
      look(now, w);
    }
  }

  void end(double now, int w, int t) {
    out_.makespan_ns = std::max(out_.makespan_ns, now);
    int next = -1;
    for (const int after : dag_.tasks[static_cast<std::size_t>(t)].after) {
      now += transfer(at(after).counted_by, worker(w).core);
      at(after).counted_by = worker(w).core;
      if (--at(after).left > 0) continue;
      if (next < 0)
        next = after;
      else
        now = publish(w, after, now);
    }
    if (next >= 0)
      start(w, next, now);
    else
      look(now, w);
  }

  void look(double now, int w) {
    Worker& me = worker(w);
    if (schedule_ == DagSchedule::random_deques) return steal(now, w);
    if (schedule_ == DagSchedule::one_queue) {
      now = use(0, w, now);  // libgomp takes the lock to see whether there is something
      if (!queue(0).tasks.empty()) return take(now, w, 0);
      return idle(w);
    }
    for (const int chiplet : by_distance(w)) {
      Queue& near = queue(chiplet);
      now += chiplet == me.chiplet ? 0 : transfer(near.core, me.core);  // its length
      if (!near.tasks.empty()) {
        now = use(chiplet, w, now);
        return take(now, w, chiplet);
      }
    }
    idle(w);
  }

  void take(double now, int w, int q) {
    const int t = queue(q).tasks.front();
    queue(q).tasks.pop_front();
    start(w, t, now);
  }

  void steal(double now, int w) {
    Worker& me = worker(w);
    if (!queue(w).tasks.empty()) {
      const int t = queue(w).tasks.back();
      queue(w).tasks.pop_back();
      me.failures = 0;
      return start(w, t, now + costs_.spawn_ns);
    }
    const auto count = static_cast<int>(workers_.size());
    if (me.failures++ >= probes_before_sleep * count) {
      me.failures = 0;
      const bool nothing = std::all_of(queues_.begin(), queues_.end(), [](const Queue& q) { return q.tasks.empty(); });
      if (nothing) return idle(w);
    }
    const int victim = (w + 1 + static_cast<int>(random_.below(static_cast<std::uint32_t>(count - 1)))) % count;
    if (queue(victim).tasks.empty()) return wait_until(now + transfer(worker(victim).core, me.core), w);
    now = use(victim, w, now);
    take(now, w, victim);
  }

  /// Data of predecessors that ran on other chiplets comes first.
  void start(int w, int t, double now) { wait_until(now + time_of(w, t, now), w), worker(w).task = t; }

  double time_of(int w, int t, double now) {
    Worker& me = worker(w);
    const Costs& costs = model_.costs;
    double waited = 0;
    bool far = false;
    for (const int before : at(t).before) {
      const int from = at(before).core;
      const Core& there = model_.machine.cores[static_cast<std::size_t>(from)];
      if (there.chiplet == me.chiplet) continue;
      far = true;
      const double bytes = dag_.tasks[static_cast<std::size_t>(before)].bytes;
      const double line_ns = (model_.transfer_ns(from, me.core) - costs.l3_ns.value) / costs.stream_mlp.value;
      waited += bytes / line_bytes * std::max(0.0, line_ns);
      const int socket = model_.machine.cores[static_cast<std::size_t>(me.core)].socket;
      if (there.socket == socket || costs.socket_link.value <= 0) continue;
      // The link into this socket serves one after the other: GB/s are bytes in a ns.
      double& link = links_[static_cast<std::size_t>(socket)];
      link = std::max(link, now) + bytes / costs.socket_link.value;
      waited = std::max(waited, link - now);
    }
    at(t).core = me.core;
    const double run = dag_.tasks[static_cast<std::size_t>(t)].run_ns * slowness_;
    ++out_.ran;
    out_.from_far += far ? 1 : 0;
    out_.data_ns += waited;
    out_.busy_ns += waited + run;
    return waited + run;
  }

  /// Levels: all that is ready is divided evenly in contiguous parts; the next level is what they have made ready.
  void run_levels(std::vector<int> ready) {
    double now = 0;
    while (!ready.empty()) {
      const std::size_t parts = std::min(ready.size(), workers_.size());
      std::vector<int> next;
      double last = now;
      std::size_t begin = 0;
      for (std::size_t p = 0; p < parts; ++p) {
        const std::size_t end = ready.size() * (p + 1) / parts;
        const auto w = static_cast<int>(p);
        // The one that divides hands out one part after the other; worker 0 runs its own at once.
        double time = p == 0 ? now
                             : now + static_cast<double>(p) * costs_.spawn_ns + costs_.wake_ns +
                                   transfer(worker(0).core, worker(w).core);
        for (; begin < end; ++begin) {
          time += time_of(w, ready[begin], time);
          for (const int after : dag_.tasks[static_cast<std::size_t>(ready[begin])].after) {
            time += transfer(at(after).counted_by, worker(w).core);
            at(after).counted_by = worker(w).core;
            if (--at(after).left == 0) next.push_back(after);
          }
        }
        last = std::max(last, time + transfer(worker(w).core, worker(0).core));
      }
      now = last;
      ready = std::move(next);
    }
    out_.makespan_ns = now;
  }

  const Model& model_;
  const TaskDag& dag_;
  DagSchedule schedule_;
  DagCosts costs_;
  base::Random random_;
  std::vector<TaskState> tasks_;
  std::vector<Worker> workers_;
  std::vector<Queue> queues_;
  std::vector<double> links_;  // into each socket: when it is free
  std::priority_queue<Event> events_;
  double slowness_ = 1;
  DagRunResult out_;
};

}  // namespace

DagRunResult run_dag(const Model& model, int workers, const TaskDag& dag, DagSchedule schedule, const DagCosts& costs,
                     std::uint64_t seed) {
  return DagSimulation(model, workers, dag, schedule, costs, seed).run();
}

}  // namespace charm::sim
