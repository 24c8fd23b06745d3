// A program on many machines, with one rank each, which send each other messages as the workloads on ranks do: updates
// and vertices are collected in lots (workloads/ranks/outbox.hpp), a lot is a message, and charm::remote collects these
// in buffers. The time on a machine is simulated (run.hpp). The network and the messages have a cost model like LogGP
// (Alexandrov et al., 1995): the processor time of an item, a message and a buffer, the bandwidth of an adapter, and
// the time of a round trip.
#pragma once

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "tools/sim/network/network.hpp"
#include "tools/sim/run.hpp"

namespace charm::sim {

/// Messages as the workloads and charm::remote collect them. A test holds the sizes to their code; the times were
/// measured (docs/design/simulator.md).
struct Messaging {
  double buffer_bytes = 16384;
  double buffer_head_bytes = 8;
  double message_bytes = 16;  // without its items: a head of 8 bytes, and the address of their receiver
  double item_bytes = 8;      // an update, or an edge of two vertices
  double lot = 128;           // items of a message at most
  double together = 896;      // items of a worker that wait for all ranks together at most, beside those that it draws
  double window = 0;          // buffers to a rank that are on the way or not yet run; 0: as src/ranks decides
  double waiting = 2;         // buffers to a rank that wait for the window
  double item_ns = 15;        // of processors, for collecting an item and running it
  double message_ns = 113;    // of processors, for sending and running one message of many
  double buffer_us = .65;     // of processors, for sending and receiving a buffer
  /// Of a full message to one of so many machines.
  [[nodiscard]] double items_per_message(int machines) const noexcept;
};

struct ScaleOutOptions {
  std::string workload = "gups";  // gups or bfs
  std::string policy = "charm";
  int workers = 1;    // of each machine
  int scale = 30;     // log2 of the table's words, or of the vertices: of all machines together
  bool weak = false;  // the scale is of one machine, and grows with their number
  Messaging messaging;
};

/// The parts of a run's time. Own work and messages add up on the processors; this sum, adapters, switches and the
/// window overlap, so the longest counts; the ends of steps follow.
enum class Part { own_work, messages, adapter, upper_switches, window, steps };
inline constexpr std::array<std::string_view, 6> part_names = {"own work",       "messages", "adapter",
                                                               "upper switches", "window",   "steps"};

struct ScaleOut {
  int machines = 1;
  double seconds = 0;
  double throughput = 0;  // operations per second of all machines
  double efficiency = 1;  // over so many times the throughput of one machine with the same work each
  std::string unit;
  std::array<double, part_names.size()> parts{};  // seconds
  double items_per_message = 0;                   // in the mean
  double filled = 1;                              // of a buffer, when it is sent
  double buffer_memory = 0;                       // bytes on each machine, at most
  double sent_bytes = 0;                          // by each machine
  /// What takes the longest.
  [[nodiscard]] Part limit() const noexcept;
};

/// \throws Error (bad_config) for a workload that has no distributed form, or sizes that leave machines without work.
ScaleOut scale_out(const Model& model, const Network& network, int machines, const ScaleOutOptions& options);

/// The same for several numbers of machines, in order; the local simulations are shared.
std::vector<ScaleOut> scale_out(const Model& model, const Network& network, const std::vector<int>& machines,
                                const ScaleOutOptions& options);

}  // namespace charm::sim
