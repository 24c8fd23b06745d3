// Rows of benchmarks that were never run, for tests of what is made of them.
#pragma once

#include "tools/cli/bench/host.hpp"
#include "tools/cli/bench/result.hpp"

namespace charm::cli::test {

inline Result row(const std::string& kernel, const std::string& runtime, const std::string& policy,
                  const std::vector<double>& seconds) {
  Result r;
  r.kernel = kernel;
  r.runtime = runtime;
  r.policy = policy;
  r.workers = 2;
  r.input = "a graph";
  r.unit = "MTEPS";
  r.seconds = seconds;
  r.work.assign(seconds.size(), 1e6);
  r.peak_rss_bytes = 64U << 20U;
  r.verified = true;
  return r;
}

inline BenchResult outcome(std::vector<Result> results) {
  BenchResult o;
  o.input = {"a graph: 8 vertices", 0.5, 1U << 20U};
  o.results = std::move(results);
  return o;
}

inline Host host() {
  Host h;
  h.name = "node1";
  h.machine = "A CPU";
  h.cpus = 4;
  h.cores = 2;
  h.chiplets = 1;
  h.kernel = "Linux 6";
  h.compiler = "GCC 12";
  h.date = "2030-01-01T00:00:00Z";
  h.versions = {{"charm", "0.1.0"}};
  h.settings = {{"workers", "2", "--workers"}};
  return h;
}

}  // namespace charm::cli::test
