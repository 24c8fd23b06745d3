// A runtime on a simulated machine with a simulated kernel, for tests of the controllers in it.
#pragma once

#include <charm/charm.hpp>

#include <functional>
#include <memory>
#include <string>
#include <thread>
#include <utility>
#include <vector>

#include "sched/fake_cpus.hpp"
#include "sched/run/runtime.hpp"
#include "sched/scripted_counters.hpp"

namespace charm::test {

class Steered {
 public:
  Steered(int workers, const char* topology, const std::string& policy, int cpus,
          const std::function<void(charm::Config&)>& change = {},
          std::unique_ptr<charm::counters::Source> source = nullptr)
      : kernel(cpus) {
    charm::Config config;
    config.workers = workers;
    config.topology = topology;
    config.policy = policy;
    config.watch_ms = 2;
    config.counters = "none";
    if (change) change(config);
    // On a thread that then ends: so worker 0 is never lent, and each worker is one thread in the kernel's books.
    std::thread([&] {
      runtime_ = new charm::sched::Runtime(config, kernel.watch(), std::move(source));  // the gate owns it
    }).join();
  }
  ~Steered() { charm::finalize(); }
  charm::sched::Runtime& runtime() { return *runtime_; }
  FakeKernel kernel;

 private:
  charm::sched::Runtime* runtime_;
};

inline std::string told(const std::vector<charm::Decision>& decisions) {
  std::string text;
  for (const auto& d : decisions) text += to_string(d) + "\n";
  return text;
}

}  // namespace charm::test
