// Plans for tests: of a machine by hand or from a description, as text of one line a worker.
#pragma once

#include <string>
#include <vector>

#include "base/choice.hpp"
#include "tools/deploy/plan.hpp"

namespace charm::test {

inline deploy::Host host_of(Machine machine, const std::string& name = "a") {
  deploy::Host host;
  host.name = name;
  host.machine = std::move(machine);
  return host;
}

inline deploy::Plan plan_of(const Machine& machine, const deploy::Request& request = {}) {
  const std::vector<deploy::Host> hosts = {host_of(machine)};
  return deploy::make_plan(hosts, request);
}

inline deploy::Request request_of(deploy::Policy policy, deploy::Shape shape = deploy::Shape::local) {
  deploy::Request request;
  request.policy = policy;
  request.shape = shape;
  return request;
}

/// Every node has so many GiB.
inline Machine with_memory(Machine machine, std::uint64_t gib) {
  for (Node& node : machine.nodes) node.bytes = gib << 30U;
  return machine;
}

/// "w0 cpus 0-7 chiplets 0 bind 0 memory 29491 heap 23592 MiB port 20000", and what is left over and noted.
inline std::string text_of(const deploy::Plan& plan) {
  std::string text;
  for (const deploy::Worker& w : plan.workers) {
    text += w.name + " cpus " + w.cpus.to_text() + " chiplets " + w.chiplets.to_text() + " " +
            std::string(base::word_of(w.memory)) + " " + w.nodes.to_text() + " memory " +
            std::to_string(w.memory_bytes >> 20U) + " heap " + std::to_string(w.heap_bytes >> 20U) + " MiB port " +
            std::to_string(w.port) + "\n";
  }
  for (const deploy::HostPlan& host : plan.hosts) {
    for (const auto& rest : host.left_over) {
      text += "left cpus " + rest.cpus.to_text() + " nodes " + rest.nodes.to_text() + ": " + rest.why + "\n";
    }
    for (const std::string& note : host.notes) text += "note: " + note + "\n";
  }
  return text;
}

}  // namespace charm::test
