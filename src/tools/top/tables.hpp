// The tables of threads and of processes: a heading, and a line for each row. Names are shown in full before there is
// room for the less important columns.
#pragma once

#include <cstddef>
#include <span>
#include <string>

#include "tools/top/line.hpp"
#include "tools/top/snapshot.hpp"
#include "tools/top/view.hpp"

namespace charm::top {

struct TableLook {
  std::size_t width = 80;
  bool unicode = true;
};

class ThreadTable {
 public:
  /// \param snapshot must outlive the table.
  ThreadTable(const Snapshot& snapshot, const View& view, TableLook look);
  [[nodiscard]] Line head() const;
  [[nodiscard]] Line line(const ThreadShare& row) const;

 private:
  const Snapshot& snapshot_;
  std::size_t width_;
  bool full_command_;
  bool with_waiting_ = false, with_process_ = false, with_fills_ = false, with_moves_ = false, with_mask_ = false;
};

class ProcessTable {
 public:
  ProcessTable(std::span<const ProcessRow> rows, const View& view, TableLook look);
  [[nodiscard]] Line head() const;
  [[nodiscard]] Line line(const ProcessRow& row) const;

 private:
  [[nodiscard]] std::string branches(const ProcessRow& row) const;

  TableLook look_;
  bool full_command_;
  std::size_t user_width_ = 4;
  bool with_memory_ = false, with_moves_ = false, with_chiplets_ = false, with_user_ = false;
};

}  // namespace charm::top
