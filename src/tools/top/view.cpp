#include "tools/top/view.hpp"

#include <algorithm>
#include <array>
#include <initializer_list>
#include <iterator>
#include <set>
#include <tuple>
#include <unordered_map>
#include <utility>

namespace charm::top {
namespace {

constexpr std::array<std::pair<SortBy, std::string_view>, 11> column_names = {{{SortBy::busy, "busy"},
                                                                               {SortBy::waits, "waits"},
                                                                               {SortBy::moves, "moves"},
                                                                               {SortBy::chiplet, "chiplet"},
                                                                               {SortBy::mask, "mask"},
                                                                               {SortBy::others, "others"},
                                                                               {SortBy::memory, "memory"},
                                                                               {SortBy::threads, "threads"},
                                                                               {SortBy::id, "id"},
                                                                               {SortBy::user, "user"},
                                                                               {SortBy::name, "name"}}};

char lower(char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; }

bool contains(std::string_view text, std::string_view part) {
  const auto at = std::search(text.begin(), text.end(), part.begin(), part.end(),
                              [](char a, char b) { return lower(a) == lower(b); });
  return part.empty() || at != text.end();
}

bool matches(const ProcessShare& process, std::string_view filter) {
  return contains(process.name, filter) || contains(process.command, filter) || contains(process.user, filter) ||
         std::to_string(process.pid) == filter;
}

const ProcessShare* process_of(const Snapshot& snapshot, int pid) {
  const auto at = std::lower_bound(snapshot.by_process.begin(), snapshot.by_process.end(), pid,
                                   [](const ProcessShare& process, int wanted) { return process.pid < wanted; });
  return at != snapshot.by_process.end() && at->pid == pid ? &*at : nullptr;
}

bool matches(const Snapshot& snapshot, const ThreadShare& row, std::string_view filter) {
  if (filter.empty() || contains(row.name, filter) || std::to_string(row.tid) == filter) return true;
  const ProcessShare* process = process_of(snapshot, row.pid);
  return process != nullptr && matches(*process, filter);
}

/// What a row is sorted by: numbers, the largest first, or text; equal ones by their id.
struct Key {
  double number = 0;
  std::string_view text{};
  int id = 0;
};

Key key_of(const ThreadShare& row, SortBy by) {
  const auto known = [](std::optional<double> value) { return value.value_or(-1); };
  switch (by) {
    case SortBy::busy:
      return {row.busy, {}, row.tid};
    case SortBy::waits:
      return {known(row.waiting), {}, row.tid};
    case SortBy::moves:
      return {static_cast<double>(row.moves), {}, row.tid};
    case SortBy::chiplet:
      return {-static_cast<double>(row.chiplet), {}, row.tid};
    case SortBy::mask:  // the narrowest first
      return {row.mask.empty() ? -1e9 : -static_cast<double>(row.mask.size()), {}, row.tid};
    case SortBy::others:
      return {known(lines_from_others(row.fills)), {}, row.tid};
    case SortBy::memory:
      return {known(lines_from_memory(row.fills)), {}, row.tid};
    case SortBy::name:
      return {0, row.name, row.tid};
    case SortBy::threads:
    case SortBy::user:
    case SortBy::id:
      break;
  }
  return {0, {}, row.tid};
}

Key key_of(const ProcessShare& process, SortBy by) {
  switch (by) {
    case SortBy::busy:
      return {process.busy, {}, process.pid};
    case SortBy::moves:
      return {static_cast<double>(process.moves), {}, process.pid};
    case SortBy::chiplet:
      return {static_cast<double>(process.chiplets), {}, process.pid};
    case SortBy::memory:
      return {static_cast<double>(process.resident_bytes), {}, process.pid};
    case SortBy::threads:
      return {static_cast<double>(process.threads), {}, process.pid};
    case SortBy::user:
      return {0, process.user, process.pid};
    case SortBy::name:
      return {0, process.name, process.pid};
    case SortBy::waits:
    case SortBy::mask:
    case SortBy::others:
    case SortBy::id:
      break;
  }
  return {0, {}, process.pid};
}

bool before(const Key& a, const Key& b) {
  if (a.number != b.number) return a.number > b.number;
  return std::tie(a.text, a.id) < std::tie(b.text, b.id);
}

template <class Row>
void sort(std::vector<const Row*>& rows, const View& view) {
  const SortBy by = sorted_by(view);
  std::sort(rows.begin(), rows.end(), [&](const Row* a, const Row* b) {
    return view.reversed ? before(key_of(*b, by), key_of(*a, by)) : before(key_of(*a, by), key_of(*b, by));
  });
}

/// Processes below their parents. Numbers are given again, so that two processes may seem to be each other's parent:
/// what is reached from no root becomes one.
class Family {
 public:
  Family(const Snapshot& snapshot, const View& view) : snapshot_(snapshot), view_(view) {
    for (const ProcessShare& process : snapshot.by_process) {
      if (process.parent != process.pid && process_of(snapshot, process.parent) != nullptr)
        children_[process.parent].push_back(&process);
    }
    for (auto& [parent, children] : children_) sort(children, view_);
  }

  std::vector<ProcessRow> rows() {
    std::vector<const ProcessShare*> roots;
    for (const ProcessShare& process : snapshot_.by_process) {
      if (process.parent == process.pid || process_of(snapshot_, process.parent) == nullptr) roots.push_back(&process);
    }
    sort(roots, view_);
    for (const ProcessShare* root : roots) add(*root);
    for (const ProcessShare& process : snapshot_.by_process) add(process);  // what is left goes round in a circle
    drop_branches_without_matches();
    mark_siblings();
    return std::move(rows_);
  }

 private:
  /// Adds a process and all below it; without recursion, for a chain of processes may be long.
  void add(const ProcessShare& root) {
    std::vector<std::pair<const ProcessShare*, std::size_t>> open = {{&root, 0}};
    while (!open.empty()) {
      const auto [process, level] = open.back();
      open.pop_back();
      if (!met_.insert(process->pid).second) continue;
      rows_.push_back({process, matches(*process, view_.filter), level, {}});
      const auto children = children_.find(process->pid);
      if (children == children_.end()) continue;
      for (auto child = children->second.rbegin(); child != children->second.rend(); ++child)
        open.emplace_back(*child, level + 1);  // the first is taken first
    }
  }

  /// A process that does not match stays if one below it does.
  void drop_branches_without_matches() {
    std::vector<ProcessRow> kept;   // from the last to the first, so that parents come after their children
    std::size_t parents_level = 0;  // one more than it, for a row that stays and has a parent
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
      const bool is_parent = parents_level > 0 && row->level + 1 == parents_level;
      if (!row->matches && !is_parent) continue;
      parents_level = row->level;
      kept.push_back(std::move(*row));
    }
    rows_.assign(std::make_move_iterator(kept.rbegin()), std::make_move_iterator(kept.rend()));
  }

  void mark_siblings() {
    std::vector<bool> seen;  // by level: a row below the same parent comes later
    for (auto row = rows_.rbegin(); row != rows_.rend(); ++row) {
      seen.resize(row->level + 1, false);
      row->more_follow.assign(seen.begin() + 1, seen.end());
      seen[row->level] = true;
    }
  }

  const Snapshot& snapshot_;
  const View& view_;
  std::unordered_map<int, std::vector<const ProcessShare*>> children_;
  std::set<int> met_;
  std::vector<ProcessRow> rows_;
};

std::optional<double> sum_of(const std::optional<FillRates>& fills,
                             std::initializer_list<counters::FillSource> sources) {
  if (!fills) return std::nullopt;
  std::optional<double> sum;
  for (const auto source : sources) {
    if (fills->has.has(source)) sum = sum.value_or(0) + fills->per_s[index(source)];
  }
  return sum;
}

}  // namespace

std::string_view name_of(SortBy column) {
  return std::find_if(column_names.begin(), column_names.end(), [&](const auto& one) { return one.first == column; })
      ->second;
}

std::optional<SortBy> sort_column_named(std::string_view name) {
  for (const auto& [column, word] : column_names) {
    if (word == name) return column;
  }
  return std::nullopt;
}

std::span<const SortBy> sort_columns(bool processes) {
  static constexpr std::array of_processes = {SortBy::id,      SortBy::user,  SortBy::threads, SortBy::busy,
                                              SortBy::chiplet, SortBy::moves, SortBy::memory,  SortBy::name};
  static constexpr std::array of_threads = {SortBy::id,   SortBy::chiplet, SortBy::busy,   SortBy::waits, SortBy::moves,
                                            SortBy::mask, SortBy::others,  SortBy::memory, SortBy::name};
  return processes ? std::span<const SortBy>(of_processes) : std::span<const SortBy>(of_threads);
}

SortBy sorted_by(const View& view) {
  const auto columns = sort_columns(view.processes);
  return std::find(columns.begin(), columns.end(), view.sort_by) == columns.end() ? SortBy::busy : view.sort_by;
}

std::optional<double> lines_from_others(const std::optional<FillRates>& fills) {
  return sum_of(fills, {counters::FillSource::other_chiplet, counters::FillSource::remote_cache});
}

std::optional<double> lines_from_memory(const std::optional<FillRates>& fills) {
  return sum_of(fills, {counters::FillSource::local_dram, counters::FillSource::remote_dram});
}

std::vector<const ThreadShare*> thread_rows(const Snapshot& snapshot, const View& view) {
  std::vector<const ThreadShare*> rows;
  for (const ThreadShare& row : snapshot.rows) {
    if (matches(snapshot, row, view.filter)) rows.push_back(&row);
  }
  sort(rows, view);
  return rows;
}

std::vector<ProcessRow> process_rows(const Snapshot& snapshot, const View& view) {
  if (view.tree) return Family(snapshot, view).rows();
  std::vector<const ProcessShare*> some;
  for (const ProcessShare& process : snapshot.by_process) {
    if (matches(process, view.filter)) some.push_back(&process);
  }
  sort(some, view);
  std::vector<ProcessRow> rows;
  for (const ProcessShare* process : some) rows.push_back({process, true, 0, {}});
  return rows;
}

std::size_t row_count(const Snapshot& snapshot, const View& view) {
  return view.processes ? process_rows(snapshot, view).size() : thread_rows(snapshot, view).size();
}

}  // namespace charm::top
