// The distances between groups of workers. A group is the workers of one chiplet. Groups are numbered 0..n-1, and the
// table has a distance for each pair of groups, not of workers: 576 workers on 72 chiplets need 72 x 72 numbers.
//
// Distances come from the machine model (measured where there is a profile), never from the numbering. A thief chooses
// a group with weight 1/(n distance^2), n being the number of groups at that distance, so all groups at one distance
// together weigh 1/distance^2, however many they are. Source: CHARM §4.4; Schmaus et al., "Nowa", and libfork for the
// weights.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace charm::stealing {

class DistanceTable {
 public:
  /// \param chiplets the id of Machine::chiplets for each group; -1: the group of workers that are not bound, at one
  /// step from every group.
  DistanceTable(const Machine& machine, std::vector<int> chiplets);

  /// \param distances groups x groups, positive off the diagonal; for models and measurements.
  explicit DistanceTable(std::vector<std::vector<double>> distances);

  [[nodiscard]] int groups() const { return static_cast<int>(size_); }

  /// The group's id in Machine::chiplets; its own number where the table was made from distances.
  [[nodiscard]] int chiplet(int group) const { return chiplets_[static_cast<std::size_t>(group)]; }

  [[nodiscard]] double distance(int a, int b) const { return distances_[at(a, b)]; }

  /// The weight 1/(n distance^2) of group `b` for a thief in group `a`; for the own group 1.
  [[nodiscard]] float weight(int a, int b) const { return weights_[at(a, b)]; }

  /// The other groups, nearest first. Equally far ones are listed from the asking group's number on, so that thieves of
  /// different groups do not all try the same one first.
  [[nodiscard]] std::span<const int> by_distance(int group) const {
    return {order_.data() + static_cast<std::size_t>(group) * (size_ - 1), size_ - 1};
  }

 private:
  [[nodiscard]] std::size_t at(int a, int b) const {
    return static_cast<std::size_t>(a) * size_ + static_cast<std::size_t>(b);
  }
  void sort_and_weigh();

  std::size_t size_;
  std::vector<int> chiplets_;
  std::vector<double> distances_;
  std::vector<float> weights_;
  std::vector<int> order_;
};

}  // namespace charm::stealing
