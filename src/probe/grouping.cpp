#include "probe/grouping.hpp"

#include <algorithm>
#include <cmath>

namespace charm::probe {
namespace {

/// What one member sees: latencies to its group and to the others.
struct View {
  std::vector<double> in, out;
};

View view_of(const Distances& d, int member, const std::vector<char>& inside) {
  View view;
  for (std::size_t j = 0; j < d.size(); ++j) {
    const double value = d[static_cast<std::size_t>(member)][j];
    if (std::isnan(value)) continue;
    (inside[j] ? view.in : view.out).push_back(value);
  }
  return view;
}

/// The nearest outsiders of a member, as many as its group is large; the median of them, so that one odd pair says
/// nothing.
double nearest_outside(std::vector<double>& out, std::size_t group_size) {
  const std::size_t rank = std::min((group_size - 1) / 2, (out.size() - 1) / 2);
  std::nth_element(out.begin(), out.begin() + static_cast<std::ptrdiff_t>(rank), out.end());
  return out[rank];
}

std::vector<char> membership(const Group& group, std::size_t n) {
  std::vector<char> inside(n, 0);
  for (int i : group) inside[static_cast<std::size_t>(i)] = 1;
  return inside;
}

}  // namespace

double quantile(std::vector<double>& values, double q) {
  if (values.empty()) return unknown_distance;
  // Of two in the middle the lower: disturbance only ever adds time.
  const double middle = std::ceil(q * static_cast<double>(values.size() - 1) - 0.5);
  const auto at = values.begin() + static_cast<std::ptrdiff_t>(std::max(0.0, middle));
  std::nth_element(values.begin(), at, values.end());
  return *at;
}

double median_between(const Distances& d, int item, const Group& group) {
  std::vector<double> values;
  for (int j : group) {
    if (j != item && !std::isnan(distance(d, item, j))) values.push_back(distance(d, item, j));
  }
  return quantile(values, 0.5);
}

Surroundings surroundings_of(const Distances& d, const Group& group) {
  Surroundings around;
  const auto inside = membership(group, d.size());
  for (int i : group) {
    View view = view_of(d, i, inside);
    if (!view.out.empty()) around.beyond.push_back(nearest_outside(view.out, group.size()));
    around.within.insert(around.within.end(), view.in.begin(), view.in.end());
  }
  return around;
}

double step_of(const Distances& d, const Group& group) {
  if (group.size() < 2 || group.size() == d.size()) return unknown_distance;
  const auto inside = membership(group, d.size());
  std::vector<double> steps;
  for (int i : group) {
    View view = view_of(d, i, inside);
    if (view.in.empty() || view.out.empty()) continue;
    // The upper quarter, for a slope shows at a group's rim; of three the middle one, since one may be disturbed.
    const double within = quantile(view.in, view.in.size() == 3 ? 0.5 : 0.75);
    steps.push_back(nearest_outside(view.out, group.size()) - within);
  }
  return quantile(steps, 0.25);
}

std::size_t usual_size(const std::vector<Group>& groups) {
  std::vector<std::size_t> sizes;
  for (const auto& group : groups) sizes.push_back(group.size());
  const auto middle = sizes.begin() + static_cast<std::ptrdiff_t>(sizes.size() / 2);
  std::nth_element(sizes.begin(), middle, sizes.end());
  return *middle;
}

}  // namespace charm::probe
