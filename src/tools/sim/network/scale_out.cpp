#include "tools/sim/network/scale_out.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <map>

#include <fmt/format.h>

#include "tools/sim/graph_record.hpp"

namespace charm::sim {
namespace {

constexpr double words_per_mib = 131072;
constexpr double edges_per_vertex = 2 * 16;  // Graph500's 16, in both directions
constexpr double updates_per_word = 4;       // HPCC RandomAccess
constexpr int largest_local_scale = 33;      // of a machine's table or graph that is simulated

/// Rounds in which a message spreads to all machines.
double rounds(int machines) { return std::ceil(std::log2(static_cast<double>(machines))); }

/// What all machines do alike.
struct LocalWork {
  std::vector<double> steps;  // operations of one machine before all wait for each other
  double local_ns = 0;        // of a processor, for an operation without messages
  std::string unit;
};

double operations_of(const ScaleOutOptions& options, int machines) {
  const double all = std::exp2(options.scale) * (options.weak ? machines : 1);
  return all * (options.workload == "gups" ? updates_per_word : edges_per_vertex);
}

/// Two buffers for each worker from all others together, and at least 8 from each (ranks/engine.hpp).
double window_of(const ScaleOutOptions& options, int machines) {
  if (options.messaging.window > 0) return options.messaging.window;
  return std::max(8.0, std::floor(2.0 * options.workers / std::max(1, machines - 1)));
}

/// The scale of one machine's part, at which the local rate is taken.
double local_scale(const ScaleOutOptions& options, int machines) {
  return options.scale - (options.weak ? 0 : std::log2(static_cast<double>(machines)));
}

LocalWork local_work_of(const Model& model, const ScaleOutOptions& options, int machines) {
  const double scale = std::min<double>(local_scale(options, machines), largest_local_scale);
  if (scale < 10)
    throw Error(Errc::bad_config,
                fmt::format("--scale {} leaves {} machines less than 2^10 each", options.scale, machines),
                "take a larger --scale, or fewer --machines");
  const bool gups = options.workload == "gups";
  const std::string local = gups ? fmt::format("gups:total_mb={}", std::exp2(scale) / words_per_mib)
                                 : fmt::format("bfs:scale={}", static_cast<int>(std::lround(scale)));
  RunOptions run_options;
  run_options.seconds = 20;
  run_options.warm_up = 60;  // the controller has decided
  const RunResult here = run(model, local, options.policy, options.workers, run_options);
  LocalWork work;
  work.unit = here.unit;
  work.local_ns = 1e9 * options.workers / here.throughput;
  const double each = operations_of(options, machines) / machines;
  if (gups) {
    work.steps = {each};
    return work;
  }
  const GraphRecord::Run& bfs = recorded_graph().run("bfs");
  for (const double edges : bfs.steps) work.steps.push_back(each * edges / bfs.edges());
  return work;
}

void check(const ScaleOutOptions& options, const Model& model) {
  if (options.workload != "gups" && options.workload != "bfs")
    throw Error(Errc::bad_config, "workload '" + options.workload + "' has no form for several machines",
                "take gups or bfs");
  if (options.workers < 1 || static_cast<std::size_t>(options.workers) > model.machine.cores.size())
    throw Error(Errc::too_many_workers,
                fmt::format("{} workers and {} cores of {}", options.workers, model.machine.cores.size(), model.name),
                fmt::format("take --workers {} or less", model.machine.cores.size()));
}

/// A step of one machine, as it was sent.
struct Sent {
  double items = 0, messages = 0, buffers = 0, bytes = 0;
};

Sent sent_in(double operations, int machines, const ScaleOutOptions& options) {
  if (machines == 1) return {};
  const Messaging& how = options.messaging;
  Sent sent;
  sent.items = operations * (machines - 1) / machines;                         // a word's or vertex's owner is anywhere
  const double lanes = static_cast<double>(options.workers) * (machines - 1);  // each worker's to each other machine
  const double in_lane = sent.items / lanes;
  if (in_lane < 1) {  // many stay empty: the numbers are Poisson's
    sent.messages = sent.buffers = lanes * (1 - std::exp(-in_lane));
  } else {
    const double messages = std::ceil(in_lane / how.items_per_message(machines));  // the last one is sent as it is
    const double bytes = how.message_bytes + how.item_bytes * in_lane / messages;
    sent.messages = lanes * messages;
    sent.buffers = lanes * std::ceil(messages / std::floor((how.buffer_bytes - how.buffer_head_bytes) / bytes));
  }
  sent.bytes = sent.items * how.item_bytes + sent.messages * how.message_bytes + sent.buffers * how.buffer_head_bytes;
  return sent;
}

std::array<double, part_names.size()> parts_of(double operations, const Sent& sent, int machines, const LocalWork& work,
                                               const Network& network, const ScaleOutOptions& options) {
  const Messaging& how = options.messaging;
  const double workers = options.workers, others = machines - 1, bandwidth = network.gb_per_s * 1e9;
  std::array<double, part_names.size()> parts{};
  auto part = [&parts](Part which) -> double& { return parts[static_cast<std::size_t>(which)]; };
  part(Part::own_work) = operations * work.local_ns * 1e-9 / workers;
  if (machines == 1) return parts;
  const double in_messages_ns = sent.items * how.item_ns + sent.messages * how.message_ns;
  part(Part::messages) = (in_messages_ns * 1e-9 + sent.buffers * how.buffer_us * 1e-6) / workers;
  part(Part::adapter) = std::max(sent.bytes / bandwidth, sent.buffers / network.messages_per_s);
  double latency = network.latency_us;
  if (machines > network.under_switch) {
    const double leaving = (machines - network.under_switch) / others;
    part(Part::upper_switches) = sent.bytes * leaving / (bandwidth * network.taper);
    latency += network.hop_us;
  }
  // A buffer keeps its place in the window until it was run and the note of that has come back.
  const double run_us = in_messages_ns / sent.buffers / 2 * 1e-3;
  part(Part::window) =
      sent.buffers / others / window_of(options, machines) * (2 * latency + how.buffer_us + run_us) * 1e-6;
  // barrier(): two waves, each up and down a tree.
  part(Part::steps) = 2 * 2 * rounds(machines) * (latency + how.buffer_us) * 1e-6;
  return parts;
}

double at(const std::array<double, part_names.size()>& parts, Part which) {
  return parts[static_cast<std::size_t>(which)];
}

double on_processors(const std::array<double, part_names.size()>& parts) {
  return at(parts, Part::own_work) + at(parts, Part::messages);
}

/// Processors, adapters and switches work at the same time; then all wait for each other.
double seconds_of(const std::array<double, part_names.size()>& parts) {
  return std::max({on_processors(parts), at(parts, Part::adapter), at(parts, Part::upper_switches),
                   at(parts, Part::window)}) +
         at(parts, Part::steps);
}

ScaleOut result_of(const LocalWork& work, const Network& network, int machines, const ScaleOutOptions& options) {
  const Messaging& how = options.messaging;
  ScaleOut sum;
  sum.machines = machines;
  sum.unit = work.unit;
  Sent all;
  for (const double operations : work.steps) {
    const Sent sent = sent_in(operations, machines, options);
    const auto parts = parts_of(operations, sent, machines, work, network, options);
    for (std::size_t i = 0; i < parts.size(); ++i) sum.parts[i] += parts[i];
    sum.seconds += seconds_of(parts);
    all = {all.items + sent.items, all.messages + sent.messages, all.buffers + sent.buffers, all.bytes + sent.bytes};
  }
  if (all.messages > 0) sum.items_per_message = all.items / all.messages;
  if (all.buffers > 0) sum.filled = all.bytes / all.buffers / how.buffer_bytes;
  sum.sent_bytes = all.bytes;
  // One that each worker fills, those that wait, and a window of those on the way in each direction.
  sum.buffer_memory =
      (machines - 1) * how.buffer_bytes * (options.workers + how.waiting + 2 * window_of(options, machines));
  sum.throughput = operations_of(options, machines) / sum.seconds;
  // Over machines that have the same work each and need not talk: caches that grow with the machines are not scaling.
  sum.efficiency = sum.throughput / machines / (1e9 * options.workers / work.local_ns);
  return sum;
}

}  // namespace

double Messaging::items_per_message(int machines) const noexcept {
  return std::clamp(std::floor(together / machines), 1.0, lot);
}

Part ScaleOut::limit() const noexcept {
  Part limit = at(parts, Part::messages) > at(parts, Part::own_work) ? Part::messages : Part::own_work;
  double most = on_processors(parts);
  for (const Part part : {Part::adapter, Part::upper_switches, Part::window, Part::steps}) {
    if (at(parts, part) <= most) continue;
    most = at(parts, part);
    limit = part;
  }
  return limit;
}

std::vector<ScaleOut> scale_out(const Model& model, const Network& network, const std::vector<int>& machines,
                                const ScaleOutOptions& options) {
  check(options, model);
  std::map<double, LocalWork> works;  // by local scale: those of weak scaling are all the same but for their steps
  std::vector<ScaleOut> results;
  for (const int count : machines) {
    const auto [at, fresh] = works.try_emplace(local_scale(options, count));
    if (fresh) at->second = local_work_of(model, options, count);
    results.push_back(result_of(at->second, network, count, options));
  }
  return results;
}

ScaleOut scale_out(const Model& model, const Network& network, int machines, const ScaleOutOptions& options) {
  return scale_out(model, network, std::vector{machines}, options).front();
}

}  // namespace charm::sim
