#include "tools/probe/structure/distances.hpp"

#include <algorithm>
#include <array>
#include <map>
#include <optional>

namespace charm::probe {
namespace {

/// The logarithm of the median latency; of two middle ones the mean of their logarithms. Only these are taken
/// logarithms of, because logarithms are in the order of the latencies.
double log_of_middle(std::span<float> latencies) {
  if (latencies.empty()) return unknown_distance;
  const auto middle = latencies.begin() + static_cast<std::ptrdiff_t>(latencies.size() / 2);
  std::nth_element(latencies.begin(), middle, latencies.end());
  const double upper = std::log(static_cast<double>(*middle));
  if (latencies.size() % 2 == 1) return upper;
  return (upper + std::log(static_cast<double>(*std::max_element(latencies.begin(), middle)))) / 2;
}

/// A matrix whose rows and columns lie group by group, so that what is measured between two groups lies together.
/// Otherwise every cell of a large matrix would be fetched from memory alone.
class GroupedMatrix {
 public:
  GroupedMatrix(const LatencyMatrix& matrix, const Partition& groups)
      : begin_(1, 0), place_(static_cast<std::size_t>(matrix.rows()), left_out) {
    for (const Group& group : groups) {
      for (std::size_t k = 0; k < group.size(); ++k) place_[static_cast<std::size_t>(group[k])] = begin_.back() + k;
      begin_.push_back(begin_.back() + group.size());
    }
    cells_.resize(row_begin(begin_.back()));
    for (int i = 0; i < matrix.rows(); ++i) copy_row(matrix.lower_row(i), place_[static_cast<std::size_t>(i)]);
  }

  /// All that was measured between two groups, of which `a` is the later one. The values stay until the next call.
  std::span<float> between(std::size_t a, std::size_t b) {
    values_.resize((begin_[a + 1] - begin_[a]) * (begin_[b + 1] - begin_[b]));
    std::size_t count = 0;
    for (std::size_t i = begin_[a]; i < begin_[a + 1]; ++i) {
      const float* row = cells_.data() + row_begin(i);
      for (std::size_t j = begin_[b]; j < begin_[b + 1]; ++j) {
        values_[count] = row[j];
        count += row[j] == row[j] ? 1U : 0U;  // NaN: not measured
      }
    }
    return std::span(values_).first(count);
  }

 private:
  static constexpr std::size_t left_out = std::numeric_limits<std::size_t>::max();
  static std::size_t row_begin(std::size_t row) { return row == 0 ? 0 : row * (row - 1) / 2; }
  void copy_row(std::span<const float> row, std::size_t to) {
    if (to == left_out) return;
    float* own = cells_.data() + row_begin(to);
    for (std::size_t j = 0; j < row.size(); ++j) {
      const std::size_t other = place_[j];
      if (other < to) {
        own[other] = row[j];
      } else if (other != left_out) {
        cells_[row_begin(other) + to] = row[j];
      }
    }
  }

  std::vector<std::size_t> begin_;  // of each group
  std::vector<std::size_t> place_;  // of each row of the matrix
  std::vector<float> cells_;        // the lower half, row by row
  std::vector<float> values_;
};

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
  std::optional<GroupedMatrix> grouped;
  if (std::ranges::any_of(groups, [](const Group& group) { return group.size() > 1; })) grouped.emplace(matrix, groups);
  const auto between = [&](std::size_t a, std::size_t b) {
    return grouped ? log_of_middle(grouped->between(a, b)) : std::log(matrix.at(groups[a][0], groups[b][0]));
  };
  // Tile by tile, because every value is stored in two rows, and a column of a large matrix fits into no cache.
  constexpr int tile = 64;
  for (int a0 = 0; a0 < n; a0 += tile) {
    for (int b0 = 0; b0 <= a0; b0 += tile) {
      for (int a = a0; a < std::min(n, a0 + tile); ++a) {
        for (int b = b0; b < std::min(a, b0 + tile); ++b)
          d.set(a, b, between(static_cast<std::size_t>(a), static_cast<std::size_t>(b)));
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
