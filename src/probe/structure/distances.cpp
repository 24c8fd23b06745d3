#include "probe/structure/distances.hpp"

#include <algorithm>
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

}  // namespace

Distances::Distances(int items)
    : size_(items), code_(static_cast<std::size_t>(items) * static_cast<std::size_t>(items), unknown) {}

void Distances::set(int i, int j, double log_latency) {
  if (i == j) return;
  const double scaled = std::clamp(std::round((log_latency - lowest) * per_unit), 0.0, unknown - 1.0);
  code_[index(i, j)] = code_[index(j, i)] = std::isnan(log_latency) ? unknown : static_cast<std::uint16_t>(scaled);
}

Distances distances_between(const LatencyMatrix& matrix, const Partition& groups) {
  const int n = static_cast<int>(groups.size());
  Distances d(n);
  std::vector<double> values;
  for (int a = 0; a < n; ++a) {
    for (int b = 0; b < a; ++b) {
      values.clear();
      for (int i : groups[static_cast<std::size_t>(a)]) {
        for (int j : groups[static_cast<std::size_t>(b)]) {
          if (matrix.measured(i, j)) values.push_back(std::log(matrix.at(i, j)));
        }
      }
      if (!values.empty()) d.set(a, b, middle_of(values));
    }
  }
  return d;
}

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return unknown_distance;
  const double middle = std::ceil(q * static_cast<double>(values.size() - 1) - 0.5);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(0.0, middle));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median_to(const Distances& d, int item, const Group& group) {
  std::vector<double> values;
  for (int j : group) {
    if (d.known(item, j)) values.push_back(d.at(item, j));
  }
  return quantile(values, 0.5);
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
