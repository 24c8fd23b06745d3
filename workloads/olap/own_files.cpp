#include "workloads/olap/own_files.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string_view>
#include <system_error>
#include <tuple>

namespace charm::workloads {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view digits = "0123456789";

std::vector<fs::path> files_in(const std::string& folder) {
  std::error_code error;
  std::vector<fs::path> files;
  for (fs::directory_iterator it(folder, error), end; !error && it != end; it.increment(error)) {
    if (std::error_code ignored; it->is_regular_file(ignored)) files.push_back(it->path());
  }
  if (error)
    throw Error(Errc::bad_input, "the folder '" + folder + "' cannot be read: " + error.message(),
                "give an existing folder");
  std::sort(files.begin(), files.end());
  return files;
}

bool is_number(std::string_view text) {
  return !text.empty() && text.find_first_not_of(digits) == std::string_view::npos;
}

/// Takes `ending` off where it is there.
bool take_off(std::string_view& text, std::string_view ending) {
  if (!text.ends_with(ending)) return false;
  text.remove_suffix(ending.size());
  return true;
}

/// "_1_4": the first of four parts.
bool is_part(std::string_view text) {
  if (!text.starts_with('_')) return false;
  const auto second = text.find('_', 1);
  return second != std::string_view::npos && is_number(text.substr(1, second - 1)) &&
         is_number(text.substr(second + 1));
}

bool holds(std::string_view file, std::string_view table) {
  if (!file.starts_with(table)) return false;
  std::string_view rest = file.substr(table.size());
  if (!take_off(rest, ".gz")) take_off(rest, ".zst");
  if (const auto dot = rest.rfind('.'); dot != std::string_view::npos && is_number(rest.substr(dot + 1)))
    rest = rest.substr(0, dot);  // "orders.tbl.2"
  for (const std::string_view ending : {".tbl", ".dat", ".csv"}) {
    if (take_off(rest, ending)) return rest.empty() || is_part(rest);
  }
  return false;
}

/// Digits count as the number that they are.
bool before(const std::string& a, const std::string& b) {
  const auto parts = [](const std::string& text) {
    const auto at = std::min(text.find_first_of(digits), text.size());
    const auto end = std::min(text.find_first_not_of(digits, at), text.size());
    // Leading zeros say nothing; of two numbers the longer is the larger.
    const std::string number = text.substr(at, end - at);
    const auto value = number.substr(std::min(number.find_first_not_of('0'), number.size()));
    return std::tuple(text.substr(0, at), value.size(), value, text.substr(end), text);
  };
  return parts(a) < parts(b);
}

}  // namespace

std::vector<std::string> files_of_table(const std::string& folder, const std::string& table) {
  std::vector<std::string> found;
  for (const fs::path& file : files_in(folder)) {
    if (holds(file.filename().string(), table)) found.push_back(file.string());
  }
  if (found.empty())
    throw Error(Errc::bad_input, "the folder '" + folder + "' has no file of the table " + table,
                "name the files as the generators do, " + table + ".tbl or " + table + ".dat, one for each table");
  return found;
}

std::uint64_t fingerprint_of(const std::string& folder) {
  std::uint64_t hash = 14695981039346656037U;  // FNV-1a
  const auto add = [&](std::string_view text) {
    for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211U;
  };
  std::error_code error;
  add(fs::absolute(folder, error).string());
  for (const fs::path& file : files_in(folder)) {
    add(file.filename().string());
    add(std::to_string(fs::file_size(file, error)));
    add(std::to_string(fs::last_write_time(file, error).time_since_epoch().count()));
  }
  return hash;
}

std::vector<std::string> own_queries(const std::string& folder) {
  std::vector<std::string> names;
  for (const fs::path& file : files_in(folder)) {
    if (file.extension() == ".sql") names.push_back(file.stem().string());
  }
  if (names.empty())
    throw Error(Errc::bad_input, "the folder '" + folder + "' has no file *.sql",
                "put each query into a file of its own");
  std::sort(names.begin(), names.end(), before);
  return names;
}

std::string own_query(const std::string& folder, const std::string& name) {
  const std::string path = (fs::path(folder) / (name + ".sql")).string();
  std::ifstream in(path, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  if (!in.good() && !in.eof())
    throw Error(Errc::bad_input, "'" + path + "' cannot be read", "give a folder with a file for each query");
  if (text.find_first_not_of(" \t\r\n;") == std::string::npos)
    throw Error(Errc::bad_input, "'" + path + "' has no statement", "write one query into it");
  return text;
}

}  // namespace charm::workloads
