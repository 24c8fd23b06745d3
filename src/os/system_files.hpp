// How the files of /proc, /sys and the cgroup mounts are found and read: a path below a root, which is a tree of its
// own in tests, and the few forms that these files have. What cannot be read gives nothing, which is no error: the
// kernel may not have the file, and a process may have ended meanwhile.
#pragma once

#include <array>
#include <charconv>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace charm::os {

/// \param root with or without a slash at its end ("/" is the machine's own). \param path "proc/stat".
std::string path_below(std::string_view root, std::string_view path);

/// All of a file; empty where it cannot be read. By read(2): a stream costs several times as much.
std::string read_text(const std::string& path);

/// The beginning of a small file, without any allocation; the text lies in `buffer`.
std::string_view read_start(const std::string& path, char* buffer, std::size_t bytes);
template <std::size_t bytes>
std::string_view read_start(const std::string& path, std::array<char, bytes>& buffer) {
  return read_start(path, buffer.data(), bytes);
}

/// Its first line without the line's end; nothing where the file cannot be read or is empty.
std::optional<std::string> first_line(const std::string& path);

/// What follows the name in a line "Name:  value"; `text` is such a file, `name` is with its colon.
std::optional<std::string_view> value_of(std::string_view text, std::string_view name);

/// The first number in a text, whatever stands before it.
std::optional<std::uint64_t> first_number(std::string_view text);

/// Bytes of a line "Name:  123 kB".
std::optional<std::uint64_t> kilobytes_of(std::string_view text, std::string_view name);

/// The next number of `text`, which loses what was read; nothing where no number is next.
template <class Number>
std::optional<Number> next_number(std::string_view& text) {
  const std::size_t begin = text.find_first_not_of(" \t\n");
  if (begin == std::string_view::npos) return std::nullopt;
  Number value{};
  const auto [end, error] = std::from_chars(text.data() + begin, text.data() + text.size(), value);
  if (error != std::errc()) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return value;
}

/// Entries of a folder whose whole name is a number, ascending: processes, threads.
std::vector<int> numbered_entries(const std::string& folder);

}  // namespace charm::os
