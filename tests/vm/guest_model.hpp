// The emulated machine as a traffic model: node i has a controller of 10 * (i + 1) GB/s, so that every node has a
// weight of its own.
#pragma once

#include <charm/machine.hpp>

#include <fstream>
#include <string>

namespace charm::test {

inline double gb_per_s(int os_node) { return 10.0 * (os_node + 1); }

inline void write_model(const charm::Machine& machine, const char* path) {
  std::ofstream file(path);
  file << R"({"charm_traffic_model": 1, "name": "guest", "domains": [{"name": "machine", "level": "machine"})";
  for (const charm::Node& node : machine.nodes) {
    if (!node.cpus.empty())
      file << ", {\"name\": \"n" << node.os_index << R"(", "level": "socket", "in": "machine", "cpus_of_node": )"
           << node.os_index << "}";
  }
  file << "], \"memories\": [";
  for (const charm::Node& node : machine.nodes) {
    file << (node.id > 0 ? ", " : "") << "{\"node\": " << node.os_index << ", \"in\": \""
         << (node.cpus.empty() ? std::string("machine") : "n" + std::to_string(node.os_index))
         << "\", \"gb_per_s\": " << gb_per_s(node.os_index) << ", \"latency_ns\": 100}";
  }
  file << "]}\n";
}

}  // namespace charm::test
