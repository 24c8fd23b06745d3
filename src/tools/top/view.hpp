// What of a snapshot is shown, and in which order: threads or processes, sorted, filtered, as a tree of parents and
// children. Pure; screen.cpp draws the result.
#pragma once

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "tools/top/snapshot.hpp"

namespace charm::top {

enum class SortBy { busy, waits, moves, chiplet, mask, others, memory, threads, id, user, name };

struct View {
  bool processes = false;         ///< not threads
  bool tree = false;              ///< processes below their parents
  bool full_command = false;      ///< command lines instead of names
  bool reversed = false;          ///< the other direction than the column usually has
  SortBy sort_by = SortBy::busy;  ///< where the view has no such column, as `busy`
  std::string filter{};  ///< only rows with this text in their name, command, user or number; case does not matter
};

/// "busy", "waits" ...
std::string_view name_of(SortBy column);
std::optional<SortBy> sort_column_named(std::string_view name);
/// The columns of threads or processes that can be sorted by, from left to right.
std::span<const SortBy> sort_columns(bool processes);
/// The column that the rows are sorted by.
SortBy sorted_by(const View& view);

/// Cache lines per second from other chiplets and nodes, and from memory; nothing where they are not counted.
std::optional<double> lines_from_others(const std::optional<FillRates>& fills);
std::optional<double> lines_from_memory(const std::optional<FillRates>& fills);

/// The threads to show; they stay parts of the snapshot.
std::vector<const ThreadShare*> thread_rows(const Snapshot& snapshot, const View& view);

struct ProcessRow {
  const ProcessShare* process = nullptr;
  bool matches = true;              ///< false: shown only because a process below it matches the filter
  std::size_t level = 0;            ///< in the tree; 0: has no parent there
  std::vector<bool> more_follow{};  ///< for the levels 1 to its own: whether siblings of the row's line come after it
};
std::vector<ProcessRow> process_rows(const Snapshot& snapshot, const View& view);

/// How many there are.
std::size_t row_count(const Snapshot& snapshot, const View& view);

}  // namespace charm::top
