// Networks between equal machines, as data: two levels of switches, of which the upper one may be thinner.
#pragma once

#include <span>
#include <string_view>

namespace charm::sim {

struct Network {
  std::string_view name;
  std::string_view summary;
  double latency_us = 0;      // one way for 8 bytes, program to program through MPI, under one switch
  double hop_us = 0;          // that the upper level adds
  double gb_per_s = 0;        // of a machine, in each direction
  double messages_per_s = 0;  // that a machine's adapter sends
  int under_switch = 0;       // machines under one switch of the lower level
  double taper = 1;           // bandwidth of a lower switch upwards over that of its machines
  std::string_view source;    // of the numbers, or that they are estimates
};

/// The networks that are built in, the slowest first.
std::span<const Network> networks() noexcept;

/// \throws Error (bad_config) that lists the networks.
const Network& network(std::string_view name);

}  // namespace charm::sim
