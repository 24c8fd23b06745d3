#include "tools/os/numa_maps.hpp"

#include <charconv>
#include <filesystem>
#include <string_view>
#include <utility>

#include "os/files/system_files.hpp"

namespace charm::os {
namespace {

std::optional<std::uint64_t> whole(std::string_view text, int base = 10) {
  std::uint64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

std::string_view next_word(std::string_view& line) {
  const std::size_t end = line.find(' ');
  const std::string_view word = line.substr(0, end);
  line.remove_prefix(end == std::string_view::npos ? line.size() : end + 1);
  return word;
}

/// The kernel writes spaces, tabs, newlines and backslashes of a path as "\040".
std::string without_escapes(std::string_view text) {
  std::string path;
  for (std::size_t i = 0; i < text.size(); ++i) {
    unsigned code = 0;
    const bool escape = text[i] == '\\' && i + 3 < text.size() &&
                        std::from_chars(&text[i] + 1, &text[i] + 4, code, 8).ptr == &text[i] + 4 && code < 256;
    path += escape ? static_cast<char>(code) : text[i];
    if (escape) i += 3;
  }
  return path;
}

/// "7f2a40000000 interleave:0-3 anon=2048 dirty=2048 N0=512 N1=1536 kernelpagesize_kB=4"
std::optional<MappedPages> mapped_pages(std::string_view line) {
  MappedPages mapping;
  const auto address = whole(next_word(line), 16);
  if (!address) return std::nullopt;
  mapping.address = *address;
  mapping.policy = next_word(line);
  // Two of the kernel's names have a blank in them: "weighted interleave:0-1", "prefer (many):0-1".
  if (mapping.policy == "weighted" || line.starts_with("(many)")) mapping.policy += " " + std::string(next_word(line));
  std::uint64_t page = 4096;
  while (!line.empty()) {
    const std::string_view word = next_word(line);
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    const std::string_view value = equals == std::string_view::npos ? "" : word.substr(equals + 1);
    if (name == "file") {
      mapping.what = without_escapes(value);
    } else if (name == "heap" || name == "stack") {
      mapping.what = name;
    } else if (name == "kernelpagesize_kB") {
      page = whole(value).value_or(4) * 1024;
    } else if (name.size() > 1 && name.front() == 'N') {
      const auto node = whole(name.substr(1));
      const auto pages = whole(value);
      if (node && pages) mapping.bytes[static_cast<int>(*node)] = *pages;
    }
  }
  for (auto& [node, bytes] : mapping.bytes) bytes *= page;
  return mapping;
}

}  // namespace

std::uint64_t MappedPages::total() const {
  std::uint64_t sum = 0;
  for (const auto& [node, each] : bytes) sum += each;
  return sum;
}

std::optional<std::vector<MappedPages>> numa_maps(int pid, const std::string& root) {
  const std::string text = read_text(path_below(root, "proc/" + std::to_string(pid) + "/numa_maps"));
  if (text.empty()) return std::nullopt;
  std::vector<MappedPages> all;
  std::string_view rest = text;
  while (!rest.empty()) {
    const std::size_t end = rest.find('\n');
    if (auto mapping = mapped_pages(rest.substr(0, end))) all.push_back(std::move(*mapping));
    rest.remove_prefix(end == std::string_view::npos ? rest.size() : end + 1);
  }
  return all;
}

}  // namespace charm::os
