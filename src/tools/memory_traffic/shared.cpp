#include "tools/memory_traffic/shared.hpp"

#include <algorithm>
#include <numeric>

#include "tools/memory_traffic/index.hpp"
#include "tools/memory_traffic/linear_program.hpp"

namespace charm::memory_traffic {
namespace {

/// The part of the traffic that one bus carries in one direction, for each GB/s from each memory.
struct Load {
  std::vector<double> by_memory;
  double gb_per_s = 0;
};

std::vector<Load> loads(const Model& model, const Bandwidths& left, std::span<const Reader> readers) {
  std::vector<Load> all;
  const std::size_t memories = model.memories.size();
  for (std::size_t m = 0; m < memories; ++m) {
    all.push_back({std::vector<double>(memories, 0), left.memory[m]});
    all.back().by_memory[m] = 1;
  }
  for (std::size_t d = 1; d < model.domains.size(); ++d) {
    Load out{std::vector<double>(memories, 0), left.out[d]};
    Load in{std::vector<double>(memories, 0), left.in[d]};
    for (std::size_t m = 0; m < memories; ++m) {
      const bool memory_inside = lies_in(model, model.memories[m].domain, static_cast<int>(d));
      for (const Reader& reader : readers) {
        const bool reader_inside = lies_in(model, reader.root, static_cast<int>(d));
        if (memory_inside && !reader_inside) out.by_memory[m] += reader.share;
        if (!memory_inside && reader_inside) in.by_memory[m] += reader.share;
      }
    }
    for (Load* load : {&out, &in}) {
      if (load->gb_per_s != unlimited) all.push_back(std::move(*load));
    }
  }
  return all;
}

}  // namespace

std::vector<Reader> all_readers(const Model& model) {
  std::vector<Reader> readers;
  const std::vector<int> all = roots(model);
  for (const int root : all) readers.push_back({root, 1.0 / static_cast<double>(all.size())});
  return readers;
}

Weights shared_flow(const Model& model, const Bandwidths& left, std::span<const Reader> readers,
                    double demand_gb_per_s) {
  LinearProgram program;
  program.value.assign(model.memories.size(), 1);
  for (const Memory& memory : model.memories) {
    double latency = 0;
    for (const Reader& reader : readers) latency += reader.share * read_latency(model, reader.root, memory);
    program.cost.push_back(latency);
  }
  for (Load& load : loads(model, left, readers)) {
    program.rows.push_back(std::move(load.by_memory));
    program.limits.push_back(load.gb_per_s);
  }
  if (demand_gb_per_s != unlimited) {
    program.rows.emplace_back(model.memories.size(), 1);
    program.limits.push_back(demand_gb_per_s);
  }
  return solve(program);
}

double shared_rate(const Model& model, const Bandwidths& left, std::span<const Reader> readers,
                   const Weights& weights) {
  const double total = std::accumulate(weights.begin(), weights.end(), 0.0);
  if (total <= 0) return 0;
  double best = unlimited;
  for (const Load& load : loads(model, left, readers)) {
    double through = 0;
    for (std::size_t m = 0; m < weights.size(); ++m) through += load.by_memory[m] * weights[m] / total;
    if (through > 0) best = std::min(best, load.gb_per_s / through);
  }
  return best;
}

}  // namespace charm::memory_traffic
