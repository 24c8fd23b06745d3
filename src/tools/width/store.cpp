#include "tools/width/store.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>

#include <nlohmann/json.hpp>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "os/files/bounded_file.hpp"
#include "os/files/output_file.hpp"
#include "topology/profile.hpp"

namespace charm::width {
namespace {

namespace fs = std::filesystem;
using Json = base::Json;

constexpr const char* remedy = "delete it: 'charm advise threads --store' writes it anew";

/// All entries; an object.
Json read(const std::string& path) {
  std::error_code error;
  if (!fs::exists(path, error)) return Json::object();
  const os::BoundedText file = os::read_bounded(path, {.bytes = std::size_t{1} << 24U});
  if (!file.problem.empty()) throw Error(Errc::bad_input, path + " " + file.problem, remedy);
  Json all = Json::parse(file.text, nullptr, false);
  if (!all.is_object()) throw Error(Errc::bad_input, path + " is not a JSON object", remedy);
  return all;
}

std::string found_in_path(const std::string& name) {
  if (name.find('/') != std::string::npos) return name;
  const char* path = base::environment("PATH");
  std::string_view left = path == nullptr ? "" : path;
  while (!left.empty()) {
    const std::size_t end = std::min(left.find(':'), left.size());
    const std::string candidate = std::string(left.substr(0, end)) + "/" + name;
    std::error_code error;
    const fs::file_status status = fs::status(candidate, error);
    if (fs::is_regular_file(status) && (status.permissions() & fs::perms::owner_exec) != fs::perms::none)
      return candidate;
    left.remove_prefix(std::min(end + 1, left.size()));
  }
  return name;
}

std::string canonical(const std::string& path) {
  std::error_code error;
  const fs::path whole = fs::canonical(path, error);
  return error ? path : whole.string();
}

bool is_interpreter(const std::string& program) {
  std::string name = fs::path(program).filename().string();
  while (!name.empty() && (name.back() == '.' || (name.back() >= '0' && name.back() <= '9'))) name.pop_back();
  constexpr std::string_view known[] = {"python", "perl", "ruby", "Rscript", "julia", "java", "node",
                                        "php",    "lua",  "sh",   "bash",    "dash",  "zsh"};
  return std::find(std::begin(known), std::end(known), name) != std::end(known);
}

}  // namespace

std::string store_path() {
  const auto folder = topology::profile_folder();
  if (!folder)
    throw Error(Errc::bad_config, "no place for what is stored: neither XDG_DATA_HOME nor HOME is set",
                "set one of them");
  return *folder + "/threads.json";
}

std::string program_key(const std::vector<std::string>& words) {
  if (words.empty()) return "";
  std::string key = canonical(found_in_path(words.front()));
  if (!is_interpreter(words.front())) return key;
  for (std::size_t w = 1; w < words.size(); ++w) {
    std::error_code error;
    if (words[w].starts_with("-") || !fs::is_regular_file(words[w], error)) continue;
    return key + " " + canonical(words[w]);
  }
  return key;
}

std::optional<Stored> find_stored(const std::string& path, const std::string& key) {
  const Json all = read(path);
  if (!all.contains(key)) return std::nullopt;
  try {
    const Json& one = all.at(key);
    Stored stored{one.at("threads").get<int>(), one.at("policy").get<std::string>(), one.at("cpus").get<int>(),
                  one.at("date").get<std::string>()};
    if (stored.threads < 1 || stored.threads > 65536)
      throw Error(Errc::bad_input, path + ": " + std::to_string(stored.threads) + " is no number of threads", remedy);
    return stored;
  } catch (const Json::exception& error) {
    throw Error(Errc::bad_input, path + ": " + base::json_problem(error), remedy);
  }
}

void store(const std::string& path, const std::string& key, const Stored& stored) {
  Json all = read(path);
  all[key] = {{"threads", stored.threads}, {"policy", stored.policy}, {"cpus", stored.cpus}, {"date", stored.date}};
  std::error_code error;
  fs::create_directories(fs::path(path).parent_path(), error);  // where it fails, writing says so
  os::write_whole(path, base::json_text(all, 2) + "\n");
}

}  // namespace charm::width
