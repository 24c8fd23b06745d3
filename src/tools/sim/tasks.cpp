#include "tools/sim/tasks.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <deque>
#include <map>
#include <queue>
#include <tuple>
#include <utility>

#include "base/random.hpp"
#include "stealing/victim_selection.hpp"

namespace charm::sim {
namespace {

using stealing::Flag;
using stealing::Place;
using stealing::VictimSelection;
using stealing::WorkFlags;

constexpr int looks_before_parking = 4;

/// What happens in the course of a task, in the order of its running time.
struct Point {
  double at = 0;
  enum class Kind { make, signal, wait } kind = Kind::make;  // at one moment in this order
  int task = -1;                                             // made, or waited for
  double there = 0;                                          // wait: how far that one must have run
};

struct State {
  std::vector<Point> points;
  std::size_t next = 0;
  double ran = 0;
  int forks = 0;  // not ended
  bool over = false, joining = false;
  std::vector<std::pair<double, int>> waiters;  // how far this one must have run, who waits
};

class Simulation {
 public:
  Simulation(const Model& model, const std::vector<WorkerCore>& worker_cores, const TaskGraph& graph,
             const Stealing& stealing, const TaskOptions& options)
      : model_(model),
        worker_cores_(worker_cores),
        graph_(graph),
        options_(options),
        policy_(stealing.way.empty() ? nullptr : &stealing::policy(stealing.way)),
        distance_table_(model.machine, chiplets_of(worker_cores)),
        work_flags_(distance_table_.groups(), static_cast<int>(worker_cores.size())),
        random_(options.seed),
        states_(graph.tasks.size()),
        workers_(worker_cores.size()) {
    std::map<int, int> group;
    for (int g = 0; g < distance_table_.groups(); ++g) group[distance_table_.chiplet(g)] = g;
    for (std::size_t w = 0; w < worker_cores.size(); ++w) {
      Worker& worker = workers_[w];
      worker.place = work_flags_.join(group[worker_cores[w].chiplet]);
      by_place_[{worker.place.group, worker.place.slot}] = static_cast<int>(w);
    }
    for (std::size_t t = 0; t < graph.tasks.size(); ++t) prepare(static_cast<int>(t));
  }

  TaskRun run() {
    for (std::size_t t = 0; t < graph_.tasks.size(); ++t) {
      if (graph_.tasks[t].parent < 0) hand_out(0, static_cast<int>(t), 0);
    }
    for (std::size_t w = 0; w < workers_.size(); ++w) at(0, static_cast<int>(w));
    while (!events_.empty() && out_.ran < graph_.tasks.size()) {
      const Event event = events_.top();
      events_.pop();
      if (event.turn != workers_[static_cast<std::size_t>(event.worker)].turn) continue;  // it was woken meanwhile
      step(event.time, event.worker);
    }
    if (out_.ran < graph_.tasks.size()) {
      throw Error(Errc::bad_input,
                  "task graph " + graph_.name + ": " + std::to_string(graph_.tasks.size() - out_.ran) +
                      " tasks wait for each other and never end",
                  "record the program again with a larger CHARM_TRACE_BYTES");
    }
    return out_;
  }

 private:
  struct Worker {
    Place place;
    std::deque<int> queue;  // own end: back
    int current = -1;
    double busy_until = 0, served = 0;
    int failures = 0;
    bool parked = false, started = false;
    long turn = 0;
  };
  struct Event {
    double time;
    int worker;
    long turn;
    bool operator<(const Event& other) const { return time != other.time ? time > other.time : worker > other.worker; }
  };

  static std::vector<int> chiplets_of(const std::vector<WorkerCore>& worker_cores) {
    std::vector<int> chiplets;
    for (const WorkerCore& worker_core : worker_cores) chiplets.push_back(worker_core.chiplet);
    std::sort(chiplets.begin(), chiplets.end());
    chiplets.erase(std::unique(chiplets.begin(), chiplets.end()), chiplets.end());
    return chiplets;
  }

  void prepare(int t) {
    const Task& task = graph_.tasks[static_cast<std::size_t>(t)];
    if (task.parent >= 0) {
      State& parent = states_[static_cast<std::size_t>(task.parent)];
      parent.points.push_back({task.parent_after_ns, Point::Kind::make, t, 0});
      if (task.fork) ++parent.forks;
    }
    for (const Task::Wait& wait : task.waits) {
      states_[static_cast<std::size_t>(t)].points.push_back(
          {wait.after_ns, Point::Kind::wait, wait.by, wait.by_after_ns});
      if (wait.by >= 0) {
        states_[static_cast<std::size_t>(wait.by)].points.push_back({wait.by_after_ns, Point::Kind::signal, t, 0});
      }
    }
    sorted_ = false;
  }

  void sort_points() {
    if (std::exchange(sorted_, true)) return;
    for (std::size_t t = 0; t < states_.size(); ++t) {
      const double run = graph_.tasks[t].run_ns;
      for (Point& p : states_[t].points) p.at = std::clamp(p.at, 0.0, run);
      std::sort(states_[t].points.begin(), states_[t].points.end(), [](const Point& a, const Point& b) {
        return std::tuple(a.at, a.kind, a.task, a.there) < std::tuple(b.at, b.kind, b.task, b.there);
      });
    }
  }

  void at(double time, int w) { events_.push({time, w, ++workers_[static_cast<std::size_t>(w)].turn}); }

  [[nodiscard]] double transfer(int a, int b) const {
    return model_.transfer_ns(worker_cores_[static_cast<std::size_t>(a)].core,
                              worker_cores_[static_cast<std::size_t>(b)].core);
  }

  /// A task that can run: to the worker that it calls, else into the deque of who made it ready.
  void hand_out(int from, int t, double now) {
    const int to = graph_.tasks[static_cast<std::size_t>(t)].worker;
    const int owner = to >= 0 ? std::min(to, static_cast<int>(workers_.size()) - 1) : from;
    Worker& worker = workers_[static_cast<std::size_t>(owner)];
    worker.queue.push_back(t);
    work_flags_.set(Flag::work, worker.place);
    if (worker.parked) {
      wake(owner, now + transfer(from, owner) + options_.wake_ns);
    } else if (policy_ != nullptr) {
      wake_somebody(owner, now);
    }
  }

  void wake(int w, double time) {
    Worker& worker = workers_[static_cast<std::size_t>(w)];
    worker.parked = false;
    worker.failures = 0;
    work_flags_.clear(Flag::asleep, worker.place);
    ++out_.wakes;
    at(time, w);
  }

  /// One sleeper of the same chiplet, else the nearest group that has one.
  void wake_somebody(int from, double now) {
    if (parked_count() == 0) return;
    const int home = workers_[static_cast<std::size_t>(from)].place.group;
    Place place = stealing::pick(work_flags_, Flag::asleep, home, {}, static_cast<std::uint32_t>(random_.next()));
    for (const int group : distance_table_.by_distance(home)) {
      if (place) break;
      place = stealing::pick(work_flags_, Flag::asleep, group, {}, static_cast<std::uint32_t>(random_.next()));
    }
    if (place) wake(by_place_.at({place.group, place.slot}), now + options_.wake_ns);
  }

  [[nodiscard]] int parked_count() const { return work_flags_.any(Flag::asleep) ? 1 : 0; }

  void step(double now, int w) {
    sort_points();
    Worker& me = workers_[static_cast<std::size_t>(w)];
    if (me.current >= 0) {
      go_on(now, w);
      return;
    }
    if (!me.queue.empty()) {
      me.current = me.queue.back();
      me.queue.pop_back();
      if (me.queue.empty()) work_flags_.clear(Flag::work, me.place);
      me.failures = 0;
      run_on(now + options_.spawn_ns, w);
      return;
    }
    if (policy_ == nullptr) {
      park(w);
    } else {
      look(now, w);
    }
  }

  void park(int w) {
    Worker& me = workers_[static_cast<std::size_t>(w)];
    me.parked = true;
    work_flags_.set(Flag::asleep, me.place);
    ++out_.parks;
  }

  void look(double now, int w) {
    Worker& me = workers_[static_cast<std::size_t>(w)];
    VictimSelection around(distance_table_, *policy_, me.place);
    double time = now;
    for (Place place = around.next(work_flags_, random_.next()); place;
         place = around.next(work_flags_, random_.next())) {
      const int v = by_place_.at({place.group, place.slot});
      Worker& victim = workers_[static_cast<std::size_t>(v)];
      const double cost = transfer(w, v);
      time += cost;
      if (victim.queue.empty()) continue;
      // Thieves of one victim take turns.
      time = std::max(time, victim.served + cost);
      victim.served = time;
      auto take = policy_->share(static_cast<std::int64_t>(victim.queue.size()));
      ++out_.steals;
      if (victim.place.group != me.place.group) ++out_.far_steals;
      for (me.current = -1; take > 0 && !victim.queue.empty(); --take) {
        const int t = victim.queue.front();
        victim.queue.pop_front();
        // One stolen task is run before the rest is shown, else they would go round for ever.
        if (me.current < 0) {
          me.current = t;
        } else {
          me.queue.push_back(t);
        }
      }
      if (victim.queue.empty()) work_flags_.clear(Flag::work, victim.place);
      if (!me.queue.empty()) {
        work_flags_.set(Flag::work, me.place);
        wake_somebody(w, time);
      }
      me.failures = 0;
      run_on(time, w);
      return;
    }
    if (time <= now) time = now + model_.costs.same_chiplet_ns.value;
    if (++me.failures > looks_before_parking && !work_flags_.any(Flag::work)) {
      park(w);
    } else {
      at(time, w);
    }
  }

  /// The current task runs to its next point.
  void run_on(double now, int w) {
    Worker& me = workers_[static_cast<std::size_t>(w)];
    State& state = states_[static_cast<std::size_t>(me.current)];
    const double until = state.next < state.points.size() ? state.points[state.next].at
                                                          : graph_.tasks[static_cast<std::size_t>(me.current)].run_ns;
    const double slow = options_.slowness.empty() ? 1 : options_.slowness[static_cast<std::size_t>(w)];
    const double time = std::max(0.0, until - state.ran) * slow;
    out_.busy_ns += time;
    state.ran = std::max(state.ran, until);
    at(now + time, w);
  }

  void go_on(double now, int w) {
    Worker& me = workers_[static_cast<std::size_t>(w)];
    const int t = me.current;
    State& state = states_[static_cast<std::size_t>(t)];
    while (state.next < state.points.size() && state.points[state.next].at <= state.ran) {
      const Point point = state.points[state.next++];
      if (point.kind == Point::Kind::make) {
        hand_out(w, point.task, now);
        now += options_.spawn_ns;
      } else if (point.kind == Point::Kind::wait && point.task >= 0) {
        State& by = states_[static_cast<std::size_t>(point.task)];
        if (!by.over && by.ran < point.there) {
          by.waiters.emplace_back(point.there, t);
          leave(now, w);
          return;
        }
      } else if (point.kind == Point::Kind::signal) {
        release(w, state, now, false);
      }
    }
    if (state.next < state.points.size() || state.ran < graph_.tasks[static_cast<std::size_t>(t)].run_ns) {
      run_on(now, w);
      return;
    }
    if (state.forks > 0) {
      state.joining = true;
      leave(now, w);
      return;
    }
    end(now, w, t);
    leave(now, w);
  }

  void release(int w, State& state, double now, bool all) {
    for (std::size_t i = 0; i < state.waiters.size();) {
      if (!all && state.waiters[i].first > state.ran) {
        ++i;
        continue;
      }
      const int waiter = state.waiters[i].second;
      state.waiters.erase(state.waiters.begin() + static_cast<std::ptrdiff_t>(i));
      hand_out(w, waiter, now);
    }
  }

  void end(double now, int w, int t) {
    for (; t >= 0;) {
      State& state = states_[static_cast<std::size_t>(t)];
      state.over = true;
      ++out_.ran;
      out_.makespan_ns = std::max(out_.makespan_ns, now);
      release(w, state, now, true);
      const Task& task = graph_.tasks[static_cast<std::size_t>(t)];
      if (!task.fork || task.parent < 0) return;
      State& parent = states_[static_cast<std::size_t>(task.parent)];
      if (--parent.forks > 0 || !parent.joining) return;
      t = task.parent;  // it was waiting for this one alone
    }
  }

  void leave(double now, int w) {
    workers_[static_cast<std::size_t>(w)].current = -1;
    at(now, w);
  }

  const Model& model_;
  const std::vector<WorkerCore>& worker_cores_;
  const TaskGraph& graph_;
  TaskOptions options_;
  const stealing::StealPolicy* policy_;
  stealing::DistanceTable distance_table_;
  WorkFlags work_flags_;
  base::Random random_;
  std::vector<State> states_;
  std::vector<Worker> workers_;
  std::map<std::pair<int, int>, int> by_place_;
  std::priority_queue<Event> events_;
  bool sorted_ = true;
  TaskRun out_;
};

}  // namespace

TaskRun run_tasks(const Model& model, const std::vector<WorkerCore>& worker_cores, const TaskGraph& graph,
                  const Stealing& stealing, const TaskOptions& options) {
  return Simulation(model, worker_cores, graph, stealing, options).run();
}

TaskGraph flat_loop(int count, double run_ns) {
  TaskGraph graph{"loop", {}};
  graph.tasks.assign(static_cast<std::size_t>(count), Task{});
  for (Task& task : graph.tasks) task.run_ns = run_ns;
  return graph;
}

double step_overhead_ns(const Model& model, const std::vector<WorkerCore>& worker_cores, double tasks, double run_ns,
                        const Stealing& stealing, std::uint64_t seed) {
  const auto workers = static_cast<double>(worker_cores.size());
  if (stealing.way.empty()) return (std::ceil(tasks / workers) - tasks / workers) * run_ns;
  TaskOptions options;
  options.seed = seed;
  const auto overhead = [&](int count) {
    const TaskRun run = run_tasks(model, worker_cores, flat_loop(count, run_ns), stealing, options);
    return std::max(0.0, run.makespan_ns - count * run_ns / workers);
  };
  const int played = static_cast<int>(std::max(1.0, std::min(tasks, 12 * workers)));
  const double some = overhead(played);
  if (tasks < 2.0 * played) return some;
  // Starting and ending cost the same however many tasks lie between; those cost what twice as many cost more.
  return some + std::max(0.0, overhead(2 * played) - some) * (tasks - played) / played;
}

}  // namespace charm::sim
