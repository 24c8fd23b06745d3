#include "tools/memory_traffic/weight_policy.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/registry.hpp"
#include "tools/memory_traffic/index.hpp"

namespace charm::memory_traffic {
namespace {

double latency_from(const Question& question, std::size_t memory) {
  return read_latency(*question.model, question.root, question.model->memories[memory]);
}

/// All on one memory.
Weights only(const Question& question, std::size_t memory) {
  Weights weights(question.model->memories.size(), 0);
  weights[memory] = 1;
  return weights;
}

Weights nearest_memory(const Question& question) {
  std::size_t best = 0;
  for (std::size_t m = 1; m < question.model->memories.size(); ++m) {
    if (latency_from(question, m) < latency_from(question, best)) best = m;
  }
  return only(question, best);
}

Weights alike(const Question& question) { return Weights(question.model->memories.size(), 1); }

/// MPOL_WEIGHTED_INTERLEAVE has one vector for the whole machine: whole numbers from 1 to 255 by the bandwidth of the
/// memories, whoever reads and whatever the buses carry.
Weights kernel_weights(const Question& question) {
  double largest = 0;
  for (const Memory& memory : question.model->memories) largest = std::max(largest, memory.gb_per_s);
  Weights weights;
  for (const Memory& memory : question.model->memories)
    weights.push_back(std::clamp(std::round(32 * memory.gb_per_s / largest), 1.0, 255.0));
  return weights;
}

Weights as_printed(const Question& question) {
  return printed(access_tree(*question.model, question.root, question.left));
}

Weights in_proportion(const Question& question) {
  return proportional(access_tree(*question.model, question.root, question.left));
}

Weights best(const Question& question) {
  if (!question.readers.empty())
    return shared_flow(*question.model, question.left, question.readers, question.demand_gb_per_s);
  return nearest_first(access_tree(*question.model, question.root, question.left), question.demand_gb_per_s);
}

/// The memory that `weights` favour in the root's socket.
int favourite(const Question& question, const Weights& weights) {
  const Model& model = *question.model;
  const int socket = near_domain(model, question.root);
  int chosen = -1;
  for (std::size_t m = 0; m < model.memories.size(); ++m) {
    if (!lies_in(model, model.memories[m].domain, socket)) continue;
    if (chosen >= 0) {
      const double lead = weights[m] - weights[at(chosen)];
      // Readings of traffic differ by as much without anything having changed.
      const double equal = 0.1 * std::max(weights[m], weights[at(chosen)]);
      if (lead < -equal) continue;
      if (lead <= equal && latency_from(question, m) >= latency_from(question, at(chosen))) continue;
    }
    chosen = static_cast<int>(m);
  }
  return chosen;
}

Weights by_latency(const Question& question) {
  const int memory = favourite(question, best(question));
  return memory < 0 ? nearest_memory(question) : only(question, at(memory));
}

constexpr std::array all_policies = {
    Policy{"exact",
           "nearest memories first, each as much as the buses and controllers on the way have left: the highest "
           "bandwidth, of several ways to it the one with the least latency; normal memory in the socket",
           best, true},
    Policy{"proportional", "the highest bandwidth, with every memory behind a full bus cut by the same factor",
           in_proportion, true},
    Policy{"paper", "TAPMM's Algorithm 1 as it is printed", as_printed, true},
    Policy{"huge-only", "exact for huge blocks; normal memory where the kernel puts it (TAPMM-huge)", best, false},
    Policy{"latency-only", "huge blocks like normal ones: on one memory of the socket", by_latency, true},
    Policy{"weighted",
           "one vector for the whole machine by the bandwidth of the memories, as the kernel's weighted "
           "interleaving has it",
           kernel_weights, false},
    Policy{"interleave", "the same part on every memory", alike, false},
    Policy{"local", "all on the nearest memory", nearest_memory, false},
};

}  // namespace

std::span<const Policy> policies() { return all_policies; }

const Policy& policy(std::string_view name) { return base::named(policies(), name, "policy of the malloc"); }

Weights huge_weights(const Policy& policy, const Question& question) { return normalised(policy.huge(question)); }

int normal_memory(const Policy& policy, const Question& question) {
  return policy.places_normal ? favourite(question, policy.huge(question)) : -1;
}

}  // namespace charm::memory_traffic
