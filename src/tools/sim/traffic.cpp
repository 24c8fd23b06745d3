#include "tools/sim/traffic.hpp"

#include <algorithm>
#include <cmath>

namespace charm::sim {
namespace {

// Bytes a ns that a core writes back on its own, without waiting: a store buffer empties about as fast as this.
constexpr double line_wait = 64;

struct Server {
  double read_limit = 0, mixed_limit = 0;  // GB/s, which is bytes per ns; 0: none
  double read = 0, written = 0;            // wanted, bytes per ns
  double factor = 1;

  [[nodiscard]] double load() const {
    if (read_limit <= 0) return 0;
    const double all = read + written;
    // Turning round between reads and writes costs most where they are half and half.
    const double mixture = all > 0 ? std::min(1.0, 2 * written / all) : 0;
    return all / (read_limit + (mixed_limit - read_limit) * mixture);
  }
};

class Network {
 public:
  explicit Network(const Model& model)
      : chiplets_(model.machine.chiplets.size()),
        nodes_(model.machine.nodes.size()),
        sockets_(model.machine.sockets.size()),
        servers_(2 * chiplets_ + 2 * nodes_ + sockets_) {
    const Costs& c = model.costs;
    for (std::size_t i = 0; i < chiplets_; ++i) {
      servers_[i] = limited(c.link_read.value, c.link_read.value);
      servers_[chiplets_ + i] = limited(c.link_write.value, c.link_write.value);
    }
    for (std::size_t i = 0; i < nodes_; ++i) {
      const bool far = model.machine.nodes[i].cpus.empty();
      const double whole = far ? c.far_memory.value : c.memory_read.value;
      servers_[2 * chiplets_ + i] = limited(whole, far ? whole : c.memory_mixed.value);
      servers_[2 * chiplets_ + nodes_ + i] = limited(c.node_link.value, c.node_link.value);
    }
    for (std::size_t i = 0; i < sockets_; ++i) {
      servers_[2 * chiplets_ + 2 * nodes_ + i] = limited(c.socket_link.value, c.socket_link.value);
    }
  }

  /// The servers on a flow's way, those that only its writes pass last.
  void path(const Flow& f, std::vector<std::size_t>& reads, std::vector<std::size_t>& writes) const {
    reads.assign({static_cast<std::size_t>(f.chiplet)});
    writes.assign({chiplets_ + static_cast<std::size_t>(f.chiplet)});
    if (f.home >= 0) {
      reads.push_back(2 * chiplets_ + static_cast<std::size_t>(f.home));
      writes.push_back(reads.back());
    }
    if (f.path == Flow::Path::sockets) {
      reads.push_back(2 * chiplets_ + 2 * nodes_ + static_cast<std::size_t>(f.socket));
      writes.push_back(reads.back());
    } else if (f.path == Flow::Path::nodes) {
      reads.push_back(2 * chiplets_ + nodes_ + static_cast<std::size_t>(f.node));
      writes.push_back(reads.back());
    }
  }

  std::vector<Server>& servers() { return servers_; }

 private:
  static Server limited(double read, double mixed) { return {read, mixed, 0, 0, 1}; }

  std::size_t chiplets_, nodes_, sockets_;
  std::vector<Server> servers_;
};

}  // namespace

std::vector<double> share_bandwidth(const Model& model, const std::vector<Demand>& demands) {
  Network network(model);
  auto& servers = network.servers();
  std::vector<double> ns(demands.size());
  struct Route {
    std::size_t worker;
    const Flow* flow;
    std::vector<std::size_t> reads, writes;
  };
  std::vector<Route> routes;
  for (std::size_t w = 0; w < demands.size(); ++w) {
    for (const Flow& flow : demands[w].flows) {
      routes.push_back({w, &flow, {}, {}});
      network.path(flow, routes.back().reads, routes.back().writes);
    }
  }
  for (int round = 0; round < 400; ++round) {
    for (std::size_t w = 0; w < demands.size(); ++w) ns[w] = demands[w].own_ns;
    for (const Route& route : routes) {
      double slow = 1;
      for (const std::size_t s : route.reads) slow = std::max(slow, servers[s].factor);
      double wait = route.flow->wait_ns;
      if (route.flow->written_bytes > 0) {
        for (const std::size_t s : route.writes) slow = std::max(slow, servers[s].factor);
        // Writing back is not waited for, until it is what there is too much of.
        wait = std::max(wait, route.flow->written_bytes / line_wait);
      }
      ns[route.worker] += wait * slow;
    }
    for (auto& server : servers) server.read = server.written = 0;
    for (const Route& route : routes) {
      const double rate = 1 / ns[route.worker];
      for (const std::size_t s : route.reads) servers[s].read += route.flow->read_bytes * rate;
      for (const std::size_t s : route.writes) servers[s].written += route.flow->written_bytes * rate;
    }
    double worst = 0;
    for (auto& server : servers) {
      const double load = server.load();
      const double next = std::max(1.0, server.factor * std::pow(std::max(load, 1e-3), round < 40 ? 0.5 : 0.9));
      worst = std::max(worst, std::abs(next / server.factor - 1));
      server.factor = next;
    }
    if (worst < 1e-6) break;
  }
  return ns;
}

}  // namespace charm::sim
