#include "workloads/factor/dag.hpp"

#include <charm/error.hpp>

#include <limits>

namespace charm::workloads::factor {

Task TaskDag::add(int kind) {
  if (kinds_.size() >= static_cast<std::size_t>(std::numeric_limits<Task>::max()))
    throw Error(Errc::bad_input, "the factorisation has more than 2^31 tasks", "take a larger --tile or --grain");
  kinds_.push_back(static_cast<std::uint8_t>(kind));
  return static_cast<Task>(kinds_.size() - 1);
}

void TaskDag::finish() {
  const std::size_t tasks = kinds_.size();
  starts_.assign(tasks + 1, 0);
  predecessors_.assign(tasks, 0);
  for (const auto& [before, after] : edges_) {
    ++starts_[static_cast<std::size_t>(before) + 1];
    ++predecessors_[static_cast<std::size_t>(after)];
  }
  for (std::size_t t = 0; t < tasks; ++t) starts_[t + 1] += starts_[t];
  successors_.resize(edges_.size());
  std::vector<std::int64_t> next(starts_.begin(), starts_.end() - (tasks > 0 ? 1 : 0));
  for (const auto& [before, after] : edges_)
    successors_[static_cast<std::size_t>(next[static_cast<std::size_t>(before)]++)] = after;
  edges_.clear();
  edges_.shrink_to_fit();
}

}  // namespace charm::workloads::factor
