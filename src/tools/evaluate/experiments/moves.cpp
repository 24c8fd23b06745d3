// What a move costs (CHARM §4.3, §4.4): a thread that holds data in its caches goes to another core. The move itself
// and the refill of the caches have to be small beside the period of the controller, 50 ms; a hundredth of it is the
// bound.
#include "base/format.hpp"
#include "tools/evaluate/experiments/all.hpp"
#include "tools/evaluate/experiments/common.hpp"

namespace charm::evaluate {
namespace {

constexpr double bound_us = 500;

struct Pair {
  std::string name;
  const Core* to;
};

/// The nearest core of each kind: on the chiplet, on another chiplet, on another node, on another socket.
std::vector<Pair> pairs(const Machine& machine) {
  const Core& from = machine.cores.front();
  std::vector<Pair> all;
  const auto first = [&](const char* name, auto is) {
    for (const Core& core : machine.cores) {
      if (core.id == from.id || !is(core)) continue;
      all.push_back({name, &core});
      return;
    }
  };
  first("on the chiplet", [&](const Core& c) { return c.chiplet == from.chiplet; });
  first("to another chiplet", [&](const Core& c) { return c.chiplet != from.chiplet && c.node == from.node; });
  first("to another node", [&](const Core& c) { return c.node != from.node && c.socket == from.socket; });
  first("to another socket", [&](const Core& c) { return c.socket != from.socket; });
  return all;
}

/// The move, and the lines that come from the old core's caches, as many at a time as a sweep keeps in flight.
Subject time_of(std::string name, int from, int to, std::size_t bytes) {
  return {std::move(name), "a move and its refill",
          [=](const sim::Model& model, const sim::Scatter& /*scatter*/) {
            const double lines = static_cast<double>(bytes) / sim::line_bytes;
            const auto& costs = model.costs;
            return (costs.move_ns.value + lines * model.transfer_ns(from, to) / costs.stream_mlp.value) / 1000;
          },
          false};
}

Plan plan_moves(const Context& context) {
  const Machine& machine = context.machine();
  const Core& from = machine.cores.front();
  Plan out{.x = "KiB", .y = "µs"};
  Job job{.title = "moving a thread"};
  for (const Pair& pair : pairs(machine)) {
    for (const std::size_t bytes : {std::size_t{0}, 256 * kib, mib}) {
      const std::string name = pair.name + " with " + base::format_bytes(bytes);
      job.variants.push_back({name, MoveRun{from.cpu, pair.to->cpu, bytes}});
      add_subject(out, time_of(name, from.id, pair.to->id, bytes));
      out.points.push_back({.series = "move " + pair.name,
                            .x = static_cast<double>(bytes) / kib,
                            .first = name,
                            .expect = Expect::at_most,
                            .bound = bound_us,
                            .unit = "µs"});
    }
  }
  job.rounds = context.quick() ? 25 : 100;
  job.seconds = 3;
  out.jobs = {job};
  return out;
}

}  // namespace

constinit const Experiment moves{
    .name = "moves",
    .title = "Cost of a move",
    .claim =
        "A worker's move to another core, with the refill of up to 1 MiB of its caches, costs less than a hundredth "
        "of the controller's period of 50 ms.",
    .paper = "CHARM §4.3, §4.4",
    .published = "no figure",
    .machine = "epyc-7713-2s",
    .needs = {.cores = 2},
    .plan = plan_moves};

}  // namespace charm::evaluate
