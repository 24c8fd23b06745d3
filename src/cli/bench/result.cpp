#include "cli/bench/result.hpp"

#include <algorithm>

namespace charm::cli {
namespace {

double unit_size(const std::string& unit) {
  if (unit == "GUP/s") return 1e9;
  return unit == "MTEPS" ? 1e6 : 1;
}

}  // namespace

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  return values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
}

double Result::median_s() const { return median(seconds); }
double Result::min_s() const { return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end()); }
double Result::max_s() const { return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end()); }

double Result::spread() const {
  const double middle = median_s();
  return middle > 0 ? (max_s() - min_s()) / middle : 0;
}

std::vector<double> Result::rates() const {
  std::vector<double> out;
  for (std::size_t i = 0; i < std::min(seconds.size(), work.size()); ++i) {
    if (seconds[i] > 0) out.push_back(work[i] / seconds[i] / unit_size(unit));
  }
  std::sort(out.begin(), out.end());
  return out;
}

double Result::rate() const { return median(rates()); }

bool Outcome::all_verified() const {
  return std::all_of(results.begin(), results.end(), [](const Result& r) { return r.verified; });
}

}  // namespace charm::cli
