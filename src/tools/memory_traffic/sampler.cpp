#include "tools/memory_traffic/sampler.hpp"

#include <algorithm>
#include <cmath>
#include <cstdlib>

#include "tools/memory_traffic/publish.hpp"

namespace charm::memory_traffic {
namespace {

/// What is left besides what others use, but at least a part of what there is.
Bandwidths available(const Model& model, const Bandwidths& others, double least) {
  Bandwidths left = remaining(model, others);
  const Bandwidths all = capacities(model);
  const auto raise = [&](std::vector<double>& to, const std::vector<double>& capacity) {
    for (std::size_t i = 0; i < to.size(); ++i) {
      if (capacity[i] != unlimited) to[i] = std::max(to[i], least * capacity[i]);
    }
  };
  raise(left.out, all.out);
  raise(left.in, all.in);
  raise(left.memory, all.memory);
  return left;
}

double sum_of(const memory::WeightPage& page, std::size_t root) {
  double sum = 0;
  for (std::size_t m = 0; m < page.memories; ++m) sum += page.weights[root][m];
  return sum;
}

}  // namespace

Sampler::Sampler(const Model& model, const Machine& cpus, const Policy& policy, SamplerOptions options)
    : model_(model),
      cpus_(cpus),
      policy_(policy),
      options_(options),
      view_(model, options.smoothing),
      left_(capacities(model)),
      page_(weight_page(model, cpus, policy, left_, options.demand_gb_per_s)) {}

bool Sampler::add(const Bandwidths& reading, const Bandwidths& own) {
  view_.add(reading, own);
  left_ = available(model_, view_.others(), options_.least);
  const std::uint64_t before = page_.generation;
  move_towards(weight_page(model_, cpus_, policy_, left_, options_.demand_gb_per_s));
  return page_.generation != before;
}

void Sampler::move_towards(const memory::WeightPage& wanted) {
  memory::WeightPage next = wanted;
  for (std::size_t r = 0; r < next.roots; ++r) {
    const double was = sum_of(page_, r);
    const double is = sum_of(wanted, r);
    if (was <= 0 || is <= 0) continue;
    std::array<double, memory::most_memories> parts{};
    double largest = 0;
    double distance = 0;
    for (std::size_t m = 0; m < next.memories; ++m) {
      const double from = page_.weights[r][m] / was;
      const double to = wanted.weights[r][m] / is;
      distance = std::max(distance, std::abs(to - from));
      parts[m] = from + options_.step * (to - from);
      largest = std::max(largest, parts[m]);
    }
    if (distance < 0.005 || largest <= 0) continue;  // arrived: exactly what is wanted
    for (std::size_t m = 0; m < next.memories; ++m)
      next.weights[r][m] = static_cast<std::uint16_t>(std::lround(memory::most_weight * parts[m] / largest));
  }
  set_generation(next);
  page_ = next;
}

}  // namespace charm::memory_traffic
