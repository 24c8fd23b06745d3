// hash-join: probing a shared hash table with a relation that each worker reads its part of, writing what matches.
#include "tools/sim/workloads/all.hpp"

namespace charm::sim {
namespace {

constexpr Parameter hash_join_parameters[] = {
    {"table_mb", 128, "MiB of the hash table", least_mib, largest_mib},
    {"probe_mb", 4096, "MiB of the relation that probes it", least_mib, largest_mib},
    {"tuple_bytes", 32, "bytes of a tuple", 1, 65536},
    {"matches", 0.5, "results per tuple", 0, 1e+06},
    {"skew", 0, "Zipf's exponent of the keys", 0, 10},
};

Workload make_hash_join(const Arguments& a, int workers) {
  const double table = a["table_mb"] * mib, input = a["probe_mb"] * mib / workers;
  const double per_tuple = a["tuple_bytes"] / line_bytes;
  Phase phase;
  phase.components = {{"table", Component::Order::random, Component::Reach::shared, table, 1, 0, 0.75,
                       zipf_popularity(a["skew"], table / line_bytes), false},
                      {"input", Component::Order::sweep, Component::Reach::own, input, per_tuple, 0, 1, {}, false},
                      {"output",
                       Component::Order::sweep,
                       Component::Reach::own,
                       input * a["matches"] + line_bytes,
                       per_tuple * a["matches"],
                       1,
                       1,
                       {},
                       false}};
  phase.compute_ns = 4;
  phase.instructions = 60;
  return steady("hash-join", "tuples", phase);
}

}  // namespace

constinit const Generator hash_join_generator{"hash-join", "probes of a shared hash table", hash_join_parameters,
                                              make_hash_join};

}  // namespace charm::sim
