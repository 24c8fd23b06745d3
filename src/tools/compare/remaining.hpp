// How long the rest of a comparison will take, from the runs that are done. Pure.
#pragma once

#include <cstddef>
#include <optional>
#include <vector>

namespace charm::compare {

class Remaining {
 public:
  /// \param runs of each program, also those that are not measured.
  Remaining(std::size_t programs, std::size_t runs) : left_(programs, runs), took_(programs), done_(programs) {}

  /// A run of a program is over. \param seconds that it took, with its preparation.
  void done(std::size_t program, double seconds) {
    if (left_[program] > 0) --left_[program];
    took_[program] += seconds;
    ++done_[program];
  }
  /// The mean of what each program's runs took, for its runs that are left; nothing as long as a program has not run.
  [[nodiscard]] std::optional<double> seconds() const {
    double sum = 0;
    for (std::size_t p = 0; p < left_.size(); ++p) {
      if (done_[p] == 0) return std::nullopt;
      sum += static_cast<double>(left_[p]) * took_[p] / static_cast<double>(done_[p]);
    }
    return sum;
  }

 private:
  std::vector<std::size_t> left_;
  std::vector<double> took_;
  std::vector<std::size_t> done_;
};

}  // namespace charm::compare
