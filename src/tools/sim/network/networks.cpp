#include <charm/error.hpp>

#include <string>

#include "tools/sim/network/network.hpp"

namespace charm::sim {
namespace {

// Bandwidths are the standards' own. Latencies and message rates of adapters are those that vendors print, with MPI's
// share estimated; sizes and tapers of switches are usual ones, and estimates.
constexpr Network built_in[] = {
    {"ethernet-10", "10 Gbit/s Ethernet, TCP", 20, 2, 1.25, 1e6, 48, .25,
     "IEEE 802.3ae for bandwidth; the rest estimated"},
    {"ethernet-100", "100 Gbit/s Ethernet, RDMA", 2.5, .6, 12.5, 1e8, 32, .5,
     "IEEE 802.3ba for bandwidth; the rest estimated"},
    {"infiniband-hdr", "200 Gbit/s InfiniBand (HDR)", 1.2, .26, 25, 2.15e8, 20, 1,
     "ConnectX-6 and Quantum product briefs for bandwidth, messages and hops; MPI's share of latency and the tree "
     "estimated"},
    {"infiniband-hdr-thin", "the same, with half of the upper switches", 1.2, .26, 25, 2.15e8, 26, .54,
     "as infiniband-hdr: 26 of 40 ports down, 14 up"},
};

}  // namespace

std::span<const Network> networks() noexcept { return built_in; }

const Network& network(std::string_view name) {
  std::string all;
  for (const Network& each : built_in) {
    if (each.name == name) return each;
    all += (all.empty() ? "" : ", ") + std::string(each.name);
  }
  throw Error(Errc::bad_config, "--network: '" + std::string(name) + "' is unknown", "take one of " + all);
}

}  // namespace charm::sim
