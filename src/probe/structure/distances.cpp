#include "probe/structure/distances.hpp"

#include <algorithm>
#include <array>
#include <map>

namespace charm::probe {
namespace {

double middle_of(std::vector<double>& values) {
  if (values.empty()) return unknown_distance;
  const auto middle = values.begin() + static_cast<std::ptrdiff_t>(values.size() / 2);
  std::nth_element(values.begin(), middle, values.end());
  if (values.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(values.begin(), middle)) / 2;
}

std::size_t quantile_rank(std::size_t count, double q) {
  return static_cast<std::size_t>(std::max(0.0, std::ceil(q * static_cast<double>(count - 1) - 0.5)));
}

}  // namespace

Distances::Distances(int items)
    : size_(items), code_(static_cast<std::size_t>(items) * static_cast<std::size_t>(items), unknown) {}

void Distances::set(int i, int j, double log_latency) {
  if (i == j) return;
  code_[index(i, j)] = code_[index(j, i)] = code_of(log_latency);
}

Distances::Code Distances::code_of(double log_latency) {
  if (std::isnan(log_latency)) return unknown;
  const double scaled = std::clamp((log_latency - lowest) * per_unit, 0.0, unknown - 1.0);
  // What std::round gives, which is a function call where the processor has no instruction for it.
  const auto below = static_cast<Code>(scaled);
  return static_cast<Code>(scaled - below >= 0.5 ? below + 1 : below);
}

Distances distances_between(const LatencyMatrix& matrix, const Partition& groups) {
  const int n = static_cast<int>(groups.size());
  Distances d(n);
  std::vector<double> values;
  const auto between = [&](const Group& some, const Group& others) {
    if (some.size() == 1 && others.size() == 1) return std::log(matrix.at(some[0], others[0]));
    values.clear();
    for (int i : some) {
      for (int j : others) {
        if (matrix.measured(i, j)) values.push_back(std::log(matrix.at(i, j)));
      }
    }
    return middle_of(values);
  };
  // Tile by tile, because every value is stored in two rows, and a column of a large matrix fits into no cache.
  constexpr int tile = 64;
  for (int a0 = 0; a0 < n; a0 += tile) {
    for (int b0 = 0; b0 <= a0; b0 += tile) {
      for (int a = a0; a < std::min(n, a0 + tile); ++a) {
        for (int b = b0; b < std::min(a, b0 + tile); ++b)
          d.set(a, b, between(groups[static_cast<std::size_t>(a)], groups[static_cast<std::size_t>(b)]));
      }
    }
  }
  return d;
}

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return unknown_distance;
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(quantile_rank(values.size(), q));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double quantile(std::span<Distances::Code> codes, double q) {
  if (codes.empty()) return unknown_distance;
  const auto at = codes.begin() + static_cast<std::ptrdiff_t>(quantile_rank(codes.size(), q));
  std::nth_element(codes.begin(), at, codes.end());
  return Distances::value_of(*at);
}

double median_to(const Distances& d, int item, const Group& group) {
  // Most groups are small, and this is asked for every pair of an item and a group.
  std::array<Distances::Code, 64> few{};
  std::vector<Distances::Code> many;
  if (group.size() > few.size()) many.resize(group.size());
  const std::span<Distances::Code> codes = many.empty() ? std::span<Distances::Code>(few) : many;
  std::size_t count = 0;
  const auto row = d.row(item);
  for (int j : group) {
    const Distances::Code code = row[static_cast<std::size_t>(j)];
    if (code != Distances::unknown) codes[count++] = code;
  }
  return quantile(codes.first(count), 0.5);
}

std::size_t usual_size(const Partition& groups) {
  std::vector<std::size_t> sizes;
  for (const auto& group : groups) sizes.push_back(group.size());
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

std::size_t commonest_size(const Partition& groups) {
  std::map<std::size_t, int> sizes;
  for (const auto& group : groups) ++sizes[group.size()];
  return std::max_element(sizes.begin(), sizes.end(), [](auto& a, auto& b) { return a.second < b.second; })->first;
}

}  // namespace charm::probe
