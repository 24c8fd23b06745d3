#include "tools/cli/bench/result.hpp"

#include <algorithm>

#include "tools/base/quantile.hpp"
#include "workloads/names.hpp"

namespace charm::cli {
std::string Result::variant() const {
  std::string text = policy;
  for (const std::string& word : {bind, schedule})
    if (!word.empty()) text += " " + word;
  return text;
}

double Result::median_s() const { return base::median(seconds); }
double Result::min_s() const { return seconds.empty() ? 0 : *std::min_element(seconds.begin(), seconds.end()); }
double Result::max_s() const { return seconds.empty() ? 0 : *std::max_element(seconds.begin(), seconds.end()); }

double Result::spread() const {
  const double middle = median_s();
  return middle > 0 ? (max_s() - min_s()) / middle : 0;
}

std::vector<double> Result::rates() const {
  std::vector<double> out;
  for (std::size_t i = 0; i < std::min(seconds.size(), work.size()); ++i) {
    if (seconds[i] > 0) out.push_back(work[i] / seconds[i] / workloads::unit_size(unit));
  }
  std::sort(out.begin(), out.end());
  return out;
}

double Result::rate() const { return base::median(rates()); }

bool BenchResult::all_verified() const {
  return std::all_of(results.begin(), results.end(), [](const Result& r) { return r.verified; });
}

}  // namespace charm::cli
