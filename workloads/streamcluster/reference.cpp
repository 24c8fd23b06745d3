#include "workloads/streamcluster/reference.hpp"

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <map>
#include <numeric>
#include <vector>

#include "workloads/streamcluster/draws.hpp"

namespace charm::workloads {
namespace {

class PlainSearch {
 public:
  PlainSearch(const Points& points, Draws& draws) : points_(points), draws_(draws) {}

  void run(Index least, Index most) {
    const Index n = points_.count;
    order.resize(static_cast<std::size_t>(n));
    std::iota(order.begin(), order.end(), Index{0});
    assigned = order;
    costs.assign(order.size(), 0);
    if (n <= most) return;
    double high = 0;
    for (Index i = 0; i < n; ++i) high += static_cast<double>(between(i, 0));
    double low = 0;
    z = high / 2;
    draws_.shuffle(order);
    speedy();
    if (k < least) speedy();
    const double lowest = high * 0x1p-40;
    for (int attempt = 0; k < least; ++attempt) {
      if (attempt >= 1) {
        high = z;
        z = (high + low) / 2;
        attempt = 0;
        if (!(z > lowest)) break;
      }
      draws_.shuffle(order);
      speedy();
    }
    const std::vector<Index> feasible = choose(least);
    const auto tries = static_cast<Index>(3 * static_cast<double>(most) * std::log(static_cast<double>(least)));
    while (true) {
      improve(feasible, tries, .1);
      const auto open = static_cast<double>(k);
      if ((open <= 1.1 * static_cast<double>(most) && open >= .9 * static_cast<double>(least)) ||
          (k <= most + 2 && k >= least - 2))
        improve(feasible, tries, .001);
      if (k > most) {
        low = z;
        z = (high + low) / 2;
        cost += (z - low) * static_cast<double>(k);
      } else if (k < least) {
        high = z;
        z = (high + low) / 2;
        cost += (z - high) * static_cast<double>(k);
      }
      if ((k <= most && k >= least) || low >= .999 * high) return;
    }
  }

  std::vector<Index> assigned;  // by point: the point that is its centre
  std::vector<float> costs;
  std::vector<Index> order;
  Index k = 0;
  double z = 0;
  double cost = 0;

 private:
  [[nodiscard]] float between(Index i, Index center) const {
    return squared_distance(points_[i], points_[center], points_.dimensions) * points_.weight(i);
  }

  void speedy() {
    const Index first = order.front();
    for (Index i = 0; i < points_.count; ++i) {
      costs[static_cast<std::size_t>(i)] = between(i, first);
      assigned[static_cast<std::size_t>(i)] = first;
    }
    k = 1;
    for (std::size_t at = 1; at < order.size(); ++at) {
      const Index center = order[at];
      if (!(draws_.uniform() < static_cast<double>(costs[static_cast<std::size_t>(center)]) / z)) continue;
      ++k;
      for (Index i = 0; i < points_.count; ++i) {
        const float there = between(i, center);
        if (there < costs[static_cast<std::size_t>(i)]) {
          costs[static_cast<std::size_t>(i)] = there;
          assigned[static_cast<std::size_t>(i)] = center;
        }
      }
    }
    cost = z * static_cast<double>(k) + std::accumulate(costs.begin(), costs.end(), 0.0);
  }

  std::vector<Index> choose(Index least) {
    const auto wanted = static_cast<Index>(3 * static_cast<double>(least) * std::log(static_cast<double>(least)));
    const Index many = std::clamp(wanted, Index{1}, points_.count);
    if (many == points_.count) return order;
    double all = 0;
    for (Index i = 0; i < points_.count; ++i) all += static_cast<double>(points_.weight(i));
    std::vector<Index> chosen;
    for (Index c = 0; c < many; ++c) {
      const double drawn = draws_.uniform() * all;
      double sum = 0;
      Index i = 0;
      for (; i + 1 < points_.count; ++i) {
        sum += static_cast<double>(points_.weight(i));
        if (sum > drawn) break;
      }
      chosen.push_back(i);
    }
    return chosen;
  }

  void improve(std::vector<Index> feasible, Index tries, double precision) {
    double change = cost;
    while (change / cost > precision) {
      change = 0;
      draws_.shuffle(feasible);
      for (Index i = 0; i < tries; ++i) change += gain(feasible[static_cast<std::size_t>(i) % feasible.size()]);
      cost -= change;
    }
  }

  double gain(Index candidate) {
    double opening = z;
    std::map<Index, double> closing;  // by centre: what closing it saves
    for (const Index center : assigned) closing.emplace(center, z);
    for (Index i = 0; i < points_.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const double difference = static_cast<double>(between(i, candidate)) - static_cast<double>(costs[at]);
      if (difference < 0)
        opening += difference;
      else
        closing[assigned[at]] -= difference;
    }
    // A centre that no point has any more is closed for what it costs; its slot is known as a number alone here.
    Index empty = k - static_cast<Index>(closing.size());
    Index closed = empty;
    opening -= z * static_cast<double>(empty);
    for (const auto& [center, saved] : closing) {
      if (!(saved > 0)) continue;
      opening -= saved;
      ++closed;
    }
    if (!(opening < 0)) return 0;
    for (Index i = 0; i < points_.count; ++i) {
      const auto at = static_cast<std::size_t>(i);
      const float there = between(i, candidate);
      if (!(there < costs[at]) && !(closing[assigned[at]] > 0)) continue;
      costs[at] = there;
      assigned[at] = candidate;
    }
    k += 1 - closed;
    return -opening;
  }

  const Points& points_;
  Draws& draws_;
};

}  // namespace

ReferenceCosts reference_costs(const Points& points, const StreamOptions& options) {
  Draws draws(options.seed);
  ReferenceCosts found;
  std::vector<float> kept;
  std::vector<float> weights;
  const auto means_of = [](const Points& chunk, const PlainSearch& search) {
    std::map<Index, std::vector<double>> means;  // by centre: the sums of its points, and of their weights
    for (Index i = 0; i < chunk.count; ++i) {
      auto& sum = means[search.assigned[static_cast<std::size_t>(i)]];
      sum.resize(static_cast<std::size_t>(chunk.dimensions) + 1);
      const auto weight = static_cast<double>(chunk.weight(i));
      for (Index j = 0; j < chunk.dimensions; ++j)
        sum[static_cast<std::size_t>(j)] += weight * static_cast<double>(chunk[i][j]);
      sum.back() += weight;
    }
    return means;
  };
  for (Index first = 0; first < points.count; first += options.chunk) {
    const Points chunk{std::min(options.chunk, points.count - first), points.dimensions, points[first],
                       points.weights == nullptr ? nullptr : points.weights + first};
    PlainSearch search(chunk, draws);
    search.run(options.least, options.most);
    found.chunk_cost += std::accumulate(search.costs.begin(), search.costs.end(), 0.0);
    for (const auto& [center, sum] : means_of(chunk, search)) {
      for (std::size_t j = 0; j + 1 < sum.size(); ++j) kept.push_back(static_cast<float>(sum[j] / sum.back()));
      weights.push_back(static_cast<float>(sum.back()));
    }
  }
  const Points centers{static_cast<Index>(weights.size()), points.dimensions, kept.data(), weights.data()};
  PlainSearch last(centers, draws);
  last.run(options.least, options.most);
  found.cost = std::accumulate(last.costs.begin(), last.costs.end(), 0.0);
  found.centers = static_cast<Index>(means_of(centers, last).size());
  return found;
}

}  // namespace charm::workloads
