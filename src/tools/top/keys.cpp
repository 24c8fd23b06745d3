#include "tools/top/keys.hpp"

#include <algorithm>
#include <array>
#include <iterator>

#include "tools/top/styles.hpp"

namespace charm::top {
namespace {

constexpr std::array<KeyHelp, 11> keys = {{
    {"q", "quits"},
    {"space", "holds the screen, and lets it go on"},
    {"j k, arrows, PgUp PgDn, Home End", "scroll"},
    {"p", "processes instead of threads, and back"},
    {"t", "processes below their parents, as a tree"},
    {"c", "the whole command line instead of the name"},
    {"< >", "sort by the column to the left or right"},
    {"r", "reverses the order"},
    {"/", "shows only rows with a text in their name, command line or user, or with a number; Enter keeps it"},
    {"Esc", "forgets that text"},
    {"?", "this page"},
}};

constexpr unsigned char escape = 0x1b;

void scroll_by(ScreenOptions& look, std::ptrdiff_t lines, std::size_t rows) {
  const auto last = rows == 0 ? 0 : static_cast<std::ptrdiff_t>(rows) - 1;
  const auto now = std::min(static_cast<std::ptrdiff_t>(look.scroll), last);
  look.scroll = static_cast<std::size_t>(std::clamp<std::ptrdiff_t>(now + lines, 0, last));
}

void sort_by_next(ScreenOptions& look, std::ptrdiff_t step) {
  const auto columns = sort_columns(look.view.processes);
  const auto now = std::find(columns.begin(), columns.end(), sorted_by(look.view)) - columns.begin();
  const auto count = std::ssize(columns);
  look.view.sort_by = columns[static_cast<std::size_t>((now + step + count) % count)];
}

}  // namespace

std::span<const KeyHelp> all_keys() { return keys; }

std::vector<Line> help_lines() {
  std::vector<Line> lines;
  lines.push_back(Line().add("keys", bold));
  for (const KeyHelp& key : keys) lines.push_back(Line().add(left(key.keys, 34), bold).add(key.text));
  return lines;
}

bool Keyboard::press(unsigned char byte, ScreenOptions& look, std::size_t rows, std::size_t page) {
  if (state_ == State::escape) {
    state_ = State::plain;
    if (byte == '[' || byte == 'O') {
      state_ = State::sequence;
      parameters_.clear();
      return false;
    }
    escape_key(look);  // and the byte is a key of its own
  } else if (state_ == State::sequence) {
    if (byte >= 0x40 && byte <= 0x7e) {
      state_ = State::plain;
      sequence_ended(static_cast<char>(byte), look, rows, page);
    } else if (parameters_.size() < 16) {
      parameters_ += static_cast<char>(byte);
    }
    return false;
  }
  if (byte == escape) {
    state_ = State::escape;
    return false;
  }
  if (look.typing) return type(byte, look);
  if (look.help) {
    look.help = false;
    return byte == 'q' || byte == 'Q';
  }
  switch (byte) {
    case 'q':
    case 'Q':
      return true;
    case ' ':
      look.held = !look.held;
      break;
    case 'j':
      scroll_by(look, 1, rows);
      break;
    case 'k':
      scroll_by(look, -1, rows);
      break;
    case 'p':
      look.view.processes = !look.view.processes;
      look.view.tree = look.view.tree && look.view.processes;
      look.scroll = 0;
      break;
    case 't':
      look.view.tree = !look.view.tree;
      look.view.processes = true;
      look.scroll = 0;
      break;
    case 'c':
      look.view.full_command = !look.view.full_command;
      break;
    case '<':
      sort_by_next(look, -1);
      break;
    case '>':
      sort_by_next(look, 1);
      break;
    case 'r':
      look.view.reversed = !look.view.reversed;
      break;
    case '/':
      look.typing = true;
      look.scroll = 0;
      break;
    case '?':
    case 'h':
      look.help = true;
      break;
    default:
      break;
  }
  return false;
}

void Keyboard::pause(ScreenOptions& look) {
  if (state_ == State::escape) escape_key(look);
  state_ = State::plain;
}

void Keyboard::sequence_ended(char final, ScreenOptions& look, std::size_t rows, std::size_t page) {
  const auto lines = static_cast<std::ptrdiff_t>(std::max<std::size_t>(page, 1));
  const auto all = static_cast<std::ptrdiff_t>(rows);
  if (final == 'A') scroll_by(look, -1, rows);
  if (final == 'B') scroll_by(look, 1, rows);
  if (final == 'H' || (final == '~' && (parameters_ == "1" || parameters_ == "7"))) scroll_by(look, -all, rows);
  if (final == 'F' || (final == '~' && (parameters_ == "4" || parameters_ == "8"))) scroll_by(look, all, rows);
  if (final == '~' && parameters_ == "5") scroll_by(look, -lines, rows);
  if (final == '~' && parameters_ == "6") scroll_by(look, lines, rows);
}

void Keyboard::escape_key(ScreenOptions& look) {
  look.help = false;
  look.typing = false;
  look.view.filter.clear();
}

/// A byte while the filter is typed. \return whether the program is to end: never.
bool Keyboard::type(unsigned char byte, ScreenOptions& look) {
  std::string& filter = look.view.filter;
  if (byte == '\r' || byte == '\n') {
    look.typing = false;
  } else if (byte == 0x7f || byte == 0x08) {  // all bytes of a character
    while (!filter.empty() && (static_cast<unsigned char>(filter.back()) & 0xc0U) == 0x80U) filter.pop_back();
    if (!filter.empty()) filter.pop_back();
  } else if (byte == 0x15) {  // Ctrl-U
    filter.clear();
  } else if (byte >= 0x20 && filter.size() < 256) {
    filter += static_cast<char>(byte);
  }
  return false;
}

}  // namespace charm::top
