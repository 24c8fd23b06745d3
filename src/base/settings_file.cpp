#include "base/settings_file.hpp"

#include <charm/error.hpp>

#include <cstdint>
#include <filesystem>
#include <fstream>
#include <system_error>

namespace charm::base {
namespace {

constexpr std::uintmax_t largest_settings_file = 1 << 20;

std::string without_blanks(const std::string& text) {
  const auto first = text.find_first_not_of(" \t\r");
  if (first == std::string::npos) return "";
  return text.substr(first, text.find_last_not_of(" \t\r") - first + 1);
}

[[noreturn]] void refuse_settings_file(const std::string& path, const std::string& problem) {
  throw Error(Errc::bad_config, "the settings file '" + path + "' that CHARM_CONFIG names " + problem,
              "give an existing file or unset CHARM_CONFIG");
}

void check_settings_file(const std::string& path) {
  std::error_code error;
  const auto status = std::filesystem::status(path, error);
  if (!std::filesystem::exists(status)) refuse_settings_file(path, error ? "cannot be read" : "does not exist");
  if (!std::filesystem::is_regular_file(status)) refuse_settings_file(path, "is not a plain file");
  if (std::filesystem::file_size(path, error) > largest_settings_file && !error)
    refuse_settings_file(path, "has more than 1 MiB");
}

}  // namespace

std::vector<SettingInFile> read_settings_file(const std::string& path,
                                              const std::function<bool(const std::string&)>& known) {
  check_settings_file(path);
  std::ifstream in(path);
  if (!in) refuse_settings_file(path, "cannot be read");
  std::vector<SettingInFile> found;
  std::string line;
  for (int number = 1; std::getline(in, line); ++number) {
    const std::string where = path + ":" + std::to_string(number);
    line = without_blanks(line.substr(0, line.find('#')));
    if (line.empty()) continue;
    const auto equals = line.find('=');
    std::string name = without_blanks(line.substr(0, equals));
    if (equals == std::string::npos || !known(name)) {
      throw Error(Errc::bad_config, where + ": '" + line + "' is not 'name = value' with a known setting",
                  "see docs/settings.md for the names");
    }
    found.push_back({std::move(name), without_blanks(line.substr(equals + 1)), where});
  }
  return found;
}

}  // namespace charm::base
