// What LU and QR have in common: a front is factorised panel by panel (a tile of columns), and each panel then updates
// the tiles of columns to its right. Column j is eliminated in row j of the front, and only the rows that have
// something in a panel's columns take part, which the order of rows keeps together (Front::active).
#pragma once

#include <algorithm>
#include <utility>
#include <vector>

#include "workloads/factor/elimination.hpp"

namespace charm::workloads::factor {

class Panels : public Elimination {
 public:
  using Elimination::Elimination;

 protected:
  struct Range {
    int first = 0;  // row and column of the panel's first element
    int columns = 0;
    int rows = 0;  // from `first` on, that take part; 0 if none do
  };

  /// Number of panels of a front.
  [[nodiscard]] virtual int panels(int front) const = 0;
  virtual void factor_panel(int front, int number, const Range& panel) = 0;
  virtual void update(int front, int number, const Range& panel, int first_column, int end_column) = 0;

  [[nodiscard]] Range range(const Front& front, const std::vector<int>& starts, int number) const {
    const int first = starts[static_cast<std::size_t>(number)];
    const int end = starts[static_cast<std::size_t>(number) + 1];
    return {first, end - first, std::max(0, front.active[static_cast<std::size_t>(end) - 1] - first)};
  }

  std::vector<Task> add_steps(int number, const std::vector<Task>& assembled) override {
    std::vector<Task> last = assembled;  // that has changed a tile of columns
    const int count = panels(number);
    for (int k = 0; k < count; ++k) {
      const Task panel = add({StepKind::panel, number, 0, 0, k});
      dag_.edge(last[static_cast<std::size_t>(k)], panel);
      last[static_cast<std::size_t>(k)] = panel;
      for (std::size_t j = static_cast<std::size_t>(k) + 1; j < last.size(); ++j) {
        const Task updated = add({StepKind::update, number, 0, static_cast<std::int32_t>(j), k});
        dag_.edge(panel, updated);
        dag_.edge(last[j], updated);
        last[j] = updated;
      }
    }
    return {last.begin() + std::max(count - 1, 0), last.end()};
  }

  void step(const Step& todo) override {
    const Front& front = tree_.fronts[static_cast<std::size_t>(todo.front)];
    const std::vector<int> starts = tiles(front);
    const Range panel = range(front, starts, todo.k);
    if (todo.kind == StepKind::panel) return factor_panel(todo.front, todo.k, panel);
    update(todo.front, todo.k, panel, starts[static_cast<std::size_t>(todo.j)],
           starts[static_cast<std::size_t>(todo.j) + 1]);
  }

  void factor_whole(int number) override {
    const Front& front = tree_.fronts[static_cast<std::size_t>(number)];
    const std::vector<int> starts = tiles(front);
    const int count = panels(number);
    for (int k = 0; k < count; ++k) {
      const Range panel = range(front, starts, k);
      factor_panel(number, k, panel);
      const int next = panel.first + panel.columns;
      // The columns that stay are in memory of their own.
      if (next < front.pivots) update(number, k, panel, next, front.pivots);
      if (front.pivots < front.columns) update(number, k, panel, std::max(next, front.pivots), front.columns);
    }
  }
};

}  // namespace charm::workloads::factor
