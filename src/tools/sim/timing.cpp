#include "tools/sim/timing.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "tools/sim/traffic.hpp"
#include "tools/sim/turns.hpp"

namespace charm::sim {
namespace {

struct Costing {
  double own_ns = 0;  // per operation, without waiting for anything shared
  std::vector<Flow> flows;
};

/// Where the memory that a component's misses go to lies, by node; the nodes of those who share the data, or the first.
std::map<int, double> home_nodes(const Job& job, const std::vector<int>& group) {
  std::map<int, double> out;
  if (job.habits.home == AccessHabits::Home::first_node) {
    out[0] = 1;
  } else if (job.habits.home == AccessHabits::Home::interleaved) {
    for (const WorkerCore& worker_core : job.worker_cores) out[worker_core.node] += 1;
    for (auto& [node, share] : out) share = 1.0 / static_cast<double>(out.size());
  } else {
    for (const int w : group)
      out[job.worker_cores[static_cast<std::size_t>(w)].node] += 1.0 / static_cast<double>(group.size());
  }
  if (job.habits.far_share > 0) {
    for (const Node& node : job.model->machine.nodes) {
      if (!node.cpus.empty()) continue;
      for (auto& [near, share] : out) share *= 1 - job.habits.far_share;
      out[node.id] = job.habits.far_share;
      break;
    }
  }
  return out;
}

/// Of the worker's core, where the machine's fastest has 1.
double speed_of(const Job& job, std::size_t w) {
  const auto core = static_cast<std::size_t>(job.worker_cores[w].core);
  return job.model->machine.cores[core].capacity / static_cast<double>(Core().capacity);
}

class Bill {
 public:
  Bill(const Job& job, const Mixes& mixes) : job_(job), costs_(job.model->costs), bills_(job.worker_cores.size()) {
    fills_.assign(job.worker_cores.size(), {});
    for (std::size_t i = 0; i < job.phase->components.size(); ++i) {
      for (const auto& group : groups_of(job, job.phase->components[i])) {
        const auto where = home_nodes(job, group);
        for (const int w : group) {
          const auto worker = static_cast<std::size_t>(w);
          add(worker, job.phase->components[i], mixes[worker][i], where);
        }
      }
    }
    for (std::size_t w = 0; w < bills_.size(); ++w)
      bills_[w].own_ns += (job.phase->compute_ns + job.habits.operation_ns) * slowness(w);
  }

  std::vector<Costing>& bills() { return bills_; }
  const std::vector<Fills>& fills() const { return fills_; }

 private:
  void add(std::size_t w, const Component& component, const Mix& mix, const std::map<int, double>& where) {
    const WorkerCore& worker_core = job_.worker_cores[w];
    const Machine& machine = job_.model->machine;
    const double mlp = component.order == Component::Order::sweep ? costs_.stream_mlp.value
                                                                  : std::max(1.0, costs_.mlp.value * component.overlap);
    const double n = component.accesses;
    Costing& bill = bills_[w];
    Fills& fills = fills_[w];
    bill.own_ns += n * (costs_.issue_ns.value * slowness(w) +
                        (mix.own_l2 * costs_.l2_ns.value + mix.own_chiplet * costs_.l3_ns.value +
                         mix.neighbour * costs_.same_chiplet_ns.value) /
                            mlp);
    fills[0] += n * mix.own_l2;
    fills[1] += n * (mix.own_chiplet + mix.neighbour);
    fills[2] += n * mix.other_chiplet;
    fills[3] += n * (mix.other_node + mix.other_socket);

    const double back = mix.written_back;
    const auto transfer = [&](double share, double upgrades, double ns, Flow::Path path) {
      if (share + upgrades <= 0) return;
      bill.flows.push_back({worker_core.chiplet, worker_core.node, worker_core.socket, -1, path,
                            n * (share + upgrades) * ns / mlp, n * share * line_bytes, 0});
    };
    transfer(mix.other_chiplet, mix.upgrade_near, costs_.other_chiplet_ns.value, Flow::Path::chiplets);
    transfer(mix.other_node, 0, costs_.other_node_ns.value, Flow::Path::nodes);
    transfer(mix.other_socket, mix.upgrade_far, costs_.other_socket_ns.value, Flow::Path::sockets);

    double elsewhere = mix.other_node + mix.other_socket;
    for (const auto& [node, share] : where) {
      const Node& home = machine.nodes[static_cast<std::size_t>(node)];
      const bool far = home.cpus.empty(), other_socket = !far && home.socket != worker_core.socket;
      const bool local = node == worker_core.node;
      const double ns = far            ? costs_.far_dram_ns.value
                        : local        ? costs_.dram_ns.value
                        : other_socket ? costs_.remote_dram_ns.value
                                       : costs_.other_node_dram_ns.value;
      const double misses = n * mix.memory * share;
      fills[local ? 4 : 5] += misses;
      if (!local) elsewhere += mix.memory * share;
      if (misses + back <= 0) continue;
      bill.flows.push_back({worker_core.chiplet, worker_core.node, worker_core.socket, node,
                            local || far   ? Flow::Path::memory
                            : other_socket ? Flow::Path::sockets
                                           : Flow::Path::nodes,
                            misses * ns / mlp, misses * line_bytes, n * back * share * line_bytes});
    }
    bill.own_ns += n * elsewhere * job_.habits.access_ns;
  }

  /// Of what a core computes by itself, against the machine's fastest; its memory is as far as anybody's.
  [[nodiscard]] double slowness(std::size_t w) const { return 1 / speed_of(job_, w); }

  const Job& job_;
  const Costs& costs_;
  std::vector<Costing> bills_;
  std::vector<Fills> fills_;
};

}  // namespace

namespace {

/// Which worker comes next is chance, so the mean over all pairs counts, not the one over neighbours.
double mean_transfer_ns(const Model& model, const std::vector<int>& cores) {
  double pairs = 0, all = 0;
  for (std::size_t a = 0; a < cores.size(); ++a) {
    for (std::size_t b = 0; b < a; ++b) {
      all += model.transfer_ns(cores[a], cores[b]);
      ++pairs;
    }
  }
  return pairs > 0 ? all / pairs : 0;
}

double in_turn_ns(const Model& model, const std::vector<int>& cores) {
  return mean_transfer_ns(model, cores) * static_cast<double>(cores.size());
}

/// The time in which the workers do `operations` together.
double parallel_ns(const Job& job, const std::vector<WorkerRate>& workers, double operations) {
  double per_ns = 0, speeds = 0, longest = 0;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    per_ns += 1 / workers[w].ns_per_operation;
    speeds += speed_of(job, w);
  }
  if (job.phase->parts == Parts::as_they_come) return operations / per_ns;
  for (std::size_t w = 0; w < workers.size(); ++w) {
    const bool equal = job.phase->parts == Parts::equal;
    const double part = equal ? 1 / static_cast<double>(workers.size()) : speed_of(job, w) / speeds;
    longest = std::max(longest, part * operations * workers[w].ns_per_operation);
  }
  return longest;
}

}  // namespace

double barrier_ns(const Model& model, const std::vector<WorkerCore>& worker_cores, const Phase& phase, bool tree) {
  const std::size_t size =
      phase.team > 0 ? std::min(worker_cores.size(), static_cast<std::size_t>(phase.team)) : worker_cores.size();
  std::vector<int> cores, firsts;
  std::map<int, std::vector<int>> by_chiplet;
  for (std::size_t w = 0; w < size; ++w) {
    cores.push_back(worker_cores[w].core);
    by_chiplet[worker_cores[w].chiplet].push_back(worker_cores[w].core);
  }
  const double flat = in_turn_ns(model, cores);
  double meeting = flat;
  if (tree) {
    double longest = 0;
    for (const auto& [chiplet, members] : by_chiplet) {
      longest = std::max(longest, in_turn_ns(model, members));
      firsts.push_back(members.front());
    }
    meeting = std::min(flat, longest + in_turn_ns(model, firsts));
  }
  return model.costs.barrier_ns.value + meeting + (phase.turns_per_step - 1) * flat;
}

Rates rates_of(const Job& job, const Mixes& mixes, double overhead_ns) {
  Bill bill(job, mixes);
  std::map<int, double> on_core;
  for (const WorkerCore& worker_core : job.worker_cores) ++on_core[worker_core.core];
  std::vector<Demand> demands;
  for (std::size_t w = 0; w < job.worker_cores.size(); ++w) {
    demands.push_back({bill.bills()[w].own_ns * on_core[job.worker_cores[w].core], std::move(bill.bills()[w].flows)});
  }
  const auto ns = share_bandwidth(*job.model, demands);

  Rates rates;
  for (std::size_t w = 0; w < ns.size(); ++w) rates.workers.push_back({ns[w], bill.fills()[w]});
  take_turns(job, rates.workers);
  double per_ns = 0;
  for (const WorkerRate& worker : rates.workers) per_ns += 1 / worker.ns_per_operation;
  const Phase& phase = *job.phase;
  double running = 1;  // share of the time that the workers run
  if (phase.step_operations > 0) {
    const double all = phase.step_operations, serial = std::min(phase.serial_operations, all);
    const double together_ns = parallel_ns(job, rates.workers, all - serial);
    const double serial_ns = serial * rates.workers.front().ns_per_operation;
    rates.barrier_ns = barrier_ns(*job.model, job.worker_cores, phase, job.habits.tree_barrier) + overhead_ns;
    rates.step_ns = together_ns + serial_ns + rates.barrier_ns;
    running = all / per_ns / rates.step_ns;
    rates.busy = std::min(1.0, ((all - serial) / per_ns + serial_ns / static_cast<double>(ns.size())) / rates.step_ns);
  }
  rates.operations_per_s = per_ns * running * 1e9;
  for (const WorkerRate& worker : rates.workers) {
    for (std::size_t s = 0; s < sources; ++s) {
      rates.fills_per_s[s] += worker.fills[s] / worker.ns_per_operation * running * 1e9;
    }
  }
  return rates;
}

}  // namespace charm::sim
