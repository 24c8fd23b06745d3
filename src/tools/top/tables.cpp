#include "tools/top/tables.hpp"

#include <algorithm>

#include "base/format.hpp"
#include "tools/top/masks.hpp"
#include "tools/top/styles.hpp"

namespace charm::top {
namespace {

constexpr std::size_t longest_name = 15;   // of a thread: the kernel cuts what is longer
constexpr std::size_t most_branches = 12;  // levels of the tree that are drawn

/// Takes the columns' room from what is left, where the least width of the screen is reached and the name stays whole.
bool fits(std::size_t& left_over, std::size_t columns, std::size_t width, std::size_t least_width) {
  if (width < least_width || left_over < columns + longest_name) return false;
  left_over -= columns;
  return true;
}

constexpr std::size_t mask_columns = 14;

/// A long list of cpus is shown as their number.
std::string mask_text(const CpuSet& mask) {
  std::string text = mask.empty() ? "-" : mask.to_text();
  return text.size() < mask_columns ? text : std::to_string(mask.size()) + " cpus";
}

std::string lines_text(std::optional<double> per_s) { return per_s ? short_number(*per_s) : "-"; }

}  // namespace

ThreadTable::ThreadTable(const Snapshot& snapshot, const View& view, TableLook look)
    : snapshot_(snapshot), width_(look.width), full_command_(view.full_command) {
  constexpr std::size_t always = 8 + 5 + 9 + 7 + 2;
  std::size_t left_over = width_ > always ? width_ - always : 0;
  with_waiting_ = fits(left_over, 7, width_, 50);
  with_process_ = snapshot.pid == 0 && fits(left_over, 9, width_, 60);
  with_fills_ = snapshot.fills && fits(left_over, 16, width_, 72);
  with_moves_ = fits(left_over, 7, width_, 60);
  with_mask_ = fits(left_over, mask_columns + 9, width_, 100);
}

Line ThreadTable::head() const {
  const std::string text = right("thread", 8) + (with_process_ ? right("process", 9) : "") + right("cpu", 5) +
                           right("chiplet", 9) + right("busy", 7) + (with_waiting_ ? right("waits", 7) : "") +
                           (with_moves_ ? right("moves", 7) : "") +
                           (with_mask_ ? right("mask", mask_columns) + right("by", 9) : "") +
                           (with_fills_ ? right("others", 8) + right("memory", 8) : "") + "  name";
  return Line().add(left(text, width_), heading);
}

Line ThreadTable::line(const ThreadShare& row) const {
  Line line;
  line.add(right(std::to_string(row.tid), 8));
  if (with_process_) line.add(right(std::to_string(row.pid), 9));
  line.add(right(row.cpu < 0 ? "-" : std::to_string(row.cpu), 5) + right(chiplet_name(row.chiplet), 9));
  line.add(right(percent(row.busy), 7), busy_style(row.busy));
  if (with_waiting_) line.add(right(row.waiting ? percent(*row.waiting) : "-", 7));
  if (with_moves_) line.add(right(row.moves > 0 ? std::to_string(row.moves) : "-", 7));
  if (with_mask_) {
    line.add(right(mask_text(row.mask), mask_columns));
    line.add(right(row.mask_from == MaskFrom::nobody ? "-" : std::string(name_of(row.mask_from)), 9));
  }
  if (with_fills_) {
    line.add(right(lines_text(lines_from_others(row.fills)), 8));
    line.add(right(lines_text(lines_from_memory(row.fills)), 8));
  }
  line.add("  " + row.name);
  if (full_command_) {
    const auto process = std::find_if(snapshot_.by_process.begin(), snapshot_.by_process.end(),
                                      [&](const ProcessShare& one) { return one.pid == row.pid; });
    if (process != snapshot_.by_process.end()) line.add("  " + process->command, dim);
  }
  return line;
}

ProcessTable::ProcessTable(std::span<const ProcessRow> rows, const View& view, TableLook look)
    : look_(look), full_command_(view.full_command) {
  for (const ProcessRow& row : rows) user_width_ = std::max(user_width_, base::display_width(row.process->user));
  user_width_ = std::min<std::size_t>(user_width_, look.width >= 120 ? 20 : 10);
  constexpr std::size_t always = 8 + 8 + 5 + 2;
  std::size_t left_over = look.width > always ? look.width - always : 0;
  with_user_ = fits(left_over, user_width_ + 2, look.width, 40);
  with_memory_ = fits(left_over, 8, look.width, 50);
  with_chiplets_ = fits(left_over, 10, look.width, 60);
  with_moves_ = fits(left_over, 7, look.width, 60);
}

Line ProcessTable::head() const {
  const std::string text = right("process", 8) + (with_user_ ? "  " + left("user", user_width_) : "") +
                           right("thr", 5) + right("busy", 8) + (with_chiplets_ ? right("chiplets", 10) : "") +
                           (with_moves_ ? right("moves", 7) : "") + (with_memory_ ? right("memory", 8) : "") +
                           (full_command_ ? "  command" : "  name");
  return Line().add(left(text, look_.width), heading);
}

Line ProcessTable::line(const ProcessRow& row) const {
  const ProcessShare& process = *row.process;
  const char* style = row.matches ? "" : dim;
  Line line;
  line.add(right(std::to_string(process.pid), 8), style);
  if (with_user_) line.add("  " + left(process.user, user_width_), style);
  line.add(right(std::to_string(process.threads), 5), style);
  line.add(right(percent(process.busy), 8), row.matches ? busy_style(process.busy) : dim);
  if (with_chiplets_) line.add(right(process.chiplets > 0 ? std::to_string(process.chiplets) : "-", 10), style);
  if (with_moves_) line.add(right(process.moves > 0 ? std::to_string(process.moves) : "-", 7), style);
  if (with_memory_) line.add(right(short_number(static_cast<double>(process.resident_bytes)), 8), style);
  // As ps does: what has no command line is the kernel's own, or has ended.
  const std::string command = process.command.empty() ? "[" + process.name + "]" : process.command;
  line.add("  " + branches(row), dim).add(full_command_ ? command : process.name, style);
  return line;
}

std::string ProcessTable::branches(const ProcessRow& row) const {
  if (row.more_follow.size() > most_branches) return "(" + std::to_string(row.more_follow.size()) + ") ";
  std::string text;
  for (std::size_t level = 0; level < row.more_follow.size(); ++level) {
    const bool own = level + 1 == row.more_follow.size();
    if (look_.unicode)
      text += row.more_follow[level] ? (own ? "├ " : "│ ") : (own ? "└ " : "  ");
    else
      text += row.more_follow[level] ? (own ? "+ " : "| ") : (own ? "` " : "  ");
  }
  return text;
}

}  // namespace charm::top
