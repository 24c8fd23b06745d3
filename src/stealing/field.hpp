// How far groups of workers stand from each other. A group is the workers of one chiplet; groups are numbered 0..n-1,
// and a distance is kept for each pair of groups, not of workers: 576 workers on 72 chiplets are 72 x 72 numbers.
//
// Distances come from the machine model (measured where there is a profile), never from numbering. A group's weight in
// the eyes of a thief is 1/(n distance^2), n being how many groups stand as far away as it does; so a whole ring of
// chiplets counts as much as 1/distance^2, however many they are. Source: CHARM §4.4; Schmaus et al., "Nowa", and
// libfork for the weights.
#pragma once

#include <charm/machine.hpp>

#include <cstddef>
#include <span>
#include <vector>

namespace charm::stealing {

class Field {
 public:
  /// \param chiplets one id of Machine::chiplets a group; -1: workers that are bound nowhere, a step from everybody.
  Field(const Machine& machine, std::vector<int> chiplets);

  /// \param distances groups x groups, positive off the diagonal; for models and measurements.
  explicit Field(std::vector<std::vector<double>> distances);

  [[nodiscard]] int groups() const { return static_cast<int>(size_); }

  /// The group's id in Machine::chiplets; its own number where the field was made from distances.
  [[nodiscard]] int chiplet(int group) const { return chiplets_[static_cast<std::size_t>(group)]; }

  [[nodiscard]] double distance(int a, int b) const { return distances_[at(a, b)]; }

  /// 1/(n distance^2) of `b` as seen from `a`; of the own group 1.
  [[nodiscard]] float weight(int a, int b) const { return weights_[at(a, b)]; }

  /// The other groups, nearest first. Equally far ones begin behind the asking group's number, so that not everybody
  /// turns to the same one first.
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
