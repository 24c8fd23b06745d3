#include "os/files/system_files.hpp"

#include <algorithm>
#include <dirent.h>
#include <fcntl.h>
#include <memory>
#include <unistd.h>

namespace charm::os {

std::string path_below(std::string_view root, std::string_view path) {
  std::string whole(root);
  if (!whole.ends_with('/')) whole += '/';
  whole += path;
  return whole;
}

std::string read_text(const std::string& path) {
  std::string text;
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return text;
  std::array<char, 4096> part{};
  for (ssize_t got = 0; (got = read(file, part.data(), part.size())) > 0;)
    text.append(part.data(), static_cast<std::size_t>(got));
  close(file);
  return text;
}

std::string_view read_start(const std::string& path, char* buffer, std::size_t bytes) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return {};
  const ssize_t got = read(file, buffer, bytes);
  close(file);
  return got > 0 ? std::string_view(buffer, static_cast<std::size_t>(got)) : std::string_view();
}

std::optional<std::string> first_line(const std::string& path) {
  std::string text = read_text(path);
  if (text.empty()) return std::nullopt;
  text.resize(std::min(text.size(), text.find('\n')));
  return text;
}

std::optional<std::string_view> value_of(std::string_view text, std::string_view name) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.size(), text.find('\n', at));
    const std::string_view line = text.substr(at, end - at);
    if (line.starts_with(name)) {
      const std::string_view value = line.substr(name.size());
      return value.substr(std::min(value.size(), value.find_first_not_of(" \t")));
    }
    at = end + 1;
  }
  return std::nullopt;
}

std::optional<std::uint64_t> first_number(std::string_view text) {
  text.remove_prefix(std::min(text.size(), text.find_first_of("0123456789")));
  return next_number<std::uint64_t>(text);
}

std::optional<std::uint64_t> kilobytes_of(std::string_view text, std::string_view name) {
  const auto value = value_of(text, name);
  const auto number = value ? first_number(*value) : std::nullopt;
  return number ? std::optional(*number * 1024) : std::nullopt;
}

std::vector<int> numbered_entries(const std::string& folder) {
  std::vector<int> numbers;
  const std::unique_ptr<DIR, int (*)(DIR*)> open_folder(opendir(folder.c_str()), closedir);
  if (!open_folder) return numbers;
  while (const dirent* entry = readdir(open_folder.get())) {
    const std::string_view name = entry->d_name;
    int number = 0;
    const auto [end, error] = std::from_chars(name.data(), name.data() + name.size(), number);
    if (error == std::errc() && end == name.data() + name.size()) numbers.push_back(number);
  }
  std::sort(numbers.begin(), numbers.end());
  return numbers;
}

}  // namespace charm::os
