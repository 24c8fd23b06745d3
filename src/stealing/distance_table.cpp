#include "stealing/distance_table.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <numeric>
#include <string>
#include <utility>

namespace charm::stealing {

namespace {
/// Measured distances are never quite equal; those within a tenth make one ring.
bool same_ring(double a, double b) { return a <= b * 1.1 && b <= a * 1.1; }
}  // namespace

DistanceTable::DistanceTable(const Machine& machine, std::vector<int> chiplets)
    : size_(chiplets.size()), chiplets_(std::move(chiplets)), distances_(size_ * size_, 1.0) {
  if (size_ == 0) throw Error(Errc::bad_input, "a field of no chiplets", "give at least one group of workers");
  auto core = [&](std::size_t group) {
    const int chiplet = chiplets_[group];
    return chiplet < 0 ? -1 : machine.chiplets.at(static_cast<std::size_t>(chiplet)).cores.front();
  };
  for (std::size_t a = 0; a < size_; ++a) {
    for (std::size_t b = 0; b < size_; ++b) {
      // Even a chiplet that is listed twice is not nearer to itself than its cores are to each other.
      if (a != b && core(a) >= 0 && core(b) >= 0)
        distances_[a * size_ + b] = std::max(1.0, machine.distance(core(a), core(b)));
    }
  }
  sort_and_weigh();
}

DistanceTable::DistanceTable(std::vector<std::vector<double>> distances) : size_(distances.size()), chiplets_(size_) {
  if (size_ == 0) throw Error(Errc::bad_input, "a field of no chiplets", "give at least one group of workers");
  std::iota(chiplets_.begin(), chiplets_.end(), 0);
  for (std::size_t a = 0; a < size_; ++a) {
    if (distances[a].size() != size_)
      throw Error(Errc::bad_input, "row " + std::to_string(a) + " of a distance matrix has the wrong length",
                  "give as many columns as rows");
    for (std::size_t b = 0; b < size_; ++b) {
      if (a != b && !(distances[a][b] > 0))
        throw Error(Errc::bad_input, "a distance that is not positive", "only a chiplet itself may be at distance 0");
      distances_.push_back(distances[a][b]);
    }
  }
  sort_and_weigh();
}

void DistanceTable::sort_and_weigh() {
  weights_.assign(size_ * size_, 1.0F);
  order_.reserve(size_ * (size_ - 1));
  std::vector<int> others;
  for (std::size_t a = 0; a < size_; ++a) {
    const double* row = distances_.data() + a * size_;
    auto far = [row](int group) { return row[static_cast<std::size_t>(group)]; };
    others.clear();
    for (std::size_t step = 1; step < size_; ++step) others.push_back(static_cast<int>((a + step) % size_));
    auto turn = [&](int group) { return (group + static_cast<int>(size_ - a)) % static_cast<int>(size_); };
    std::sort(others.begin(), others.end(),
              [&](int x, int y) { return std::pair(far(x), turn(x)) < std::pair(far(y), turn(y)); });
    for (std::size_t first = 0, last = 0; first < others.size(); first = last) {
      while (last < others.size() && same_ring(far(others[first]), far(others[last]))) ++last;
      for (std::size_t i = first; i < last; ++i) {
        const double d = far(others[i]);
        weights_[a * size_ + static_cast<std::size_t>(others[i])] =
            static_cast<float>(1.0 / (static_cast<double>(last - first) * d * d));
      }
    }
    order_.insert(order_.end(), others.begin(), others.end());
  }
}

}  // namespace charm::stealing
