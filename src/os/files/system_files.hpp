// Finds and reads the files of /proc, /sys and the cgroup mounts: a path below a root, which is a tree of its
// own in tests, and the few formats that these files have. A file that cannot be read gives no value, which is not an
// error: the kernel may not have the file, and a process may have ended meanwhile.
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

/// The contents of a file; empty if it cannot be read. Uses read(2), because a stream costs several times as much.
std::string read_text(const std::string& path);

/// The beginning of a small file, without any allocation; the text is in `buffer`.
std::string_view read_start(const std::string& path, char* buffer, std::size_t bytes);
template <std::size_t bytes>
std::string_view read_start(const std::string& path, std::array<char, bytes>& buffer) {
  return read_start(path, buffer.data(), bytes);
}

/// The first line of a file without its end; nothing if the file cannot be read or is empty.
std::optional<std::string> first_line(const std::string& path);

/// The value in a line "Name:  value" of `text`. \param name the name with its colon.
std::optional<std::string_view> value_of(std::string_view text, std::string_view name);

/// The first number in a text, whatever precedes it.
std::optional<std::uint64_t> first_number(std::string_view text);

/// The value of a line "Name:  123 kB", in bytes.
std::optional<std::uint64_t> kilobytes_of(std::string_view text, std::string_view name);

/// Reads the next number from the beginning of `text` and removes it there; nothing if there is no number.
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
