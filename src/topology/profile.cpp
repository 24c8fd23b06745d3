#include "topology/profile.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <utility>

#include <nlohmann/json.hpp>

#include "base/environment.hpp"
#include "base/json.hpp"
#include "os/files/bounded_file.hpp"
#include "topology/machine_json.hpp"

namespace charm::topology {
namespace {

using Json = base::SortedJson;

/// Builds the document as far as the first matrix, which is megabytes on a large machine and not needed here.
class HeadReader : public nlohmann::json_sax<Json> {
 public:
  [[nodiscard]] const Json& head() const { return root_; }
  [[nodiscard]] bool reached_the_matrices() const { return reached_; }
  [[nodiscard]] const std::string& problem() const { return problem_; }

  bool null() override { return put(nullptr); }
  bool boolean(bool value) override { return put(value); }
  bool number_integer(number_integer_t value) override { return put(value); }
  bool number_unsigned(number_unsigned_t value) override { return put(value); }
  bool number_float(number_float_t value, const string_t& /*text*/) override { return put(value); }
  bool string(string_t& value) override { return put(value); }
  bool binary(binary_t& /*value*/) override { return false; }
  bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
  bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& name) override {
    key_ = name;
    reached_ = open_.size() == 1 && name == "latency";
    return !reached_;
  }
  bool parse_error(std::size_t /*position*/, const std::string& /*token*/,
                   const nlohmann::detail::exception& error) override {
    problem_ = error.what();
    return false;
  }

 private:
  Json* place(Json value) {
    if (open_.empty()) {
      root_ = std::move(value);
      return &root_;
    }
    if (open_.back()->is_array()) {
      open_.back()->push_back(std::move(value));
      return &open_.back()->back();
    }
    Json& member = (*open_.back())[key_];
    member = std::move(value);
    return &member;
  }
  bool put(Json value) {
    place(std::move(value));
    return true;
  }
  bool open(Json value) {
    open_.push_back(place(std::move(value)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  Json root_;
  std::vector<Json*> open_;
  std::string key_;
  std::string problem_;
  bool reached_ = false;
};

[[noreturn]] void refuse(const std::string& name, std::string what) {
  std::replace(what.begin(), what.end(), '\n', ' ');
  throw Error(Errc::bad_input, name + ": " + what, "give a file that 'charm probe' wrote, or measure again");
}

void check_square(const std::vector<std::vector<double>>& table, std::size_t n, const std::string& name) {
  bool square = table.empty() || table.size() == n;
  for (const auto& row : table) square = square && row.size() == n;
  if (!square) refuse(name, "a table that does not fit the nodes");
}

void refuse_impossible_numbers(const Json& json, const std::string& name) {
  constexpr double most = 1e15;  // bytes, ns and GB/s of any machine are below; a sum of many of them is finite
  for (const auto& value : json) {
    if (value.is_structured()) refuse_impossible_numbers(value, name);
    if (!value.is_number()) continue;
    if (const auto number = value.get<double>(); !(number >= -1 && number <= most))  // -1 is "not known"
      refuse(name, "no machine measures " + value.dump());
  }
}

}  // namespace

ProfileKey key_of(const Machine& machine) {
  return {machine.name,        machine.total.cpus,    machine.total.cores,
          machine.total.nodes, machine.total.sockets, machine.allowed_cpus};
}

namespace {

ProfilePicture picture_of(const HeadReader& reader, const std::string& name) {
  const Json& json = reader.head();
  try {
    if (!json.is_object() || !json.contains("charm_profile")) refuse(name, "not a profile of a machine");
    const int version = json.at("charm_profile");
    if (version != profile_version) {
      refuse(name, "a profile of version " + std::to_string(version) + ", version " + std::to_string(profile_version) +
                       " is understood");
    }
    ProfilePicture picture;
    picture.file = name;
    const Json& machine = json.at("machine");
    auto measured_cpus = machine.at("measured_cpus").get<std::vector<int>>();
    if (std::any_of(measured_cpus.begin(), measured_cpus.end(), [](int cpu) { return cpu < 0; }))
      refuse(name, "a negative number of a cpu");
    picture.key = {machine.at("name"),  machine.at("cpus"),    machine.at("cores"),
                   machine.at("nodes"), machine.at("sockets"), CpuSet(std::move(measured_cpus))};
    picture.date = json.at("date");
    picture.partial = json.at("partial");
    if (json.contains("doubts"))
      picture.doubts = json.at("doubts").get<std::vector<std::string>>();
    else if (!json.value("idle", true))  // profiles of before know only this much
      picture.doubts.emplace_back("the cpus were busy with other work while it was measured");
    picture.cpus = json.at("cpus").get<std::vector<int>>();
    picture.chiplets = json.at("chiplets").get<std::vector<std::vector<int>>>();
    picture.chiplet_confidence = json.at("confidence").at("chiplets");
    for (const auto& group : picture.chiplets) {
      for (int row : group) {
        if (row < 0 || static_cast<std::size_t>(row) >= picture.cpus.size())
          refuse(name, "row " + std::to_string(row) + " is not in its matrix");
      }
    }
    const Json& summary = json.at("summary");
    refuse_impossible_numbers(summary, name);
    picture.node_os = summary.at("nodes").get<std::vector<int>>();
    picture.measured.core_latency_ns = summary.at("core_latency_ns");
    picture.measured.chiplet_latency_ns = summary.at("chiplet_latency_ns");
    picture.measured.core_gb_per_s = summary.at("core_gb_per_s");
    picture.measured.chiplet_gb_per_s = summary.at("chiplet_gb_per_s");
    picture.measured.memory_gb_per_s = summary.at("memory_gb_per_s");
    picture.measured.node_latency_ns = summary.at("node_latency_ns").get<std::vector<std::vector<double>>>();
    picture.measured.node_gb_per_s = summary.at("node_gb_per_s").get<std::vector<std::vector<double>>>();
    // Profiles of before have none of these.
    picture.measured.l3_latency_ns = summary.value("l3_latency_ns", 0.0);
    picture.measured.chiplet_memory_gb_per_s = summary.value("chiplet_memory_gb_per_s", 0.0);
    picture.measured.node_memory_gb_per_s = summary.value("node_memory_gb_per_s", 0.0);
    if (summary.contains("memory_latency_ns"))
      picture.measured.memory_latency_ns = summary.at("memory_latency_ns").get<std::vector<std::vector<double>>>();
    check_square(picture.measured.memory_latency_ns, picture.node_os.size(), name);
    check_square(picture.measured.node_latency_ns, picture.node_os.size(), name);
    check_square(picture.measured.node_gb_per_s, picture.node_os.size(), name);
    if (json.contains("system")) picture.machine = machine_from_json(json.at("system"), name);
    return picture;
  } catch (const Json::exception& error) {
    refuse(name, base::json_problem(error));
  }
}

template <typename Input>
ProfilePicture read_head(Input&& input, const std::string& name) {
  HeadReader reader;
  const bool whole = Json::sax_parse(std::forward<Input>(input), &reader);
  if (!whole && !reader.reached_the_matrices()) refuse(name, "not a profile of a machine: " + reader.problem());
  return picture_of(reader, name);
}

}  // namespace

ProfilePicture parse_profile_picture(const std::string& text, const std::string& name) { return read_head(text, name); }

ProfilePicture read_profile_picture(const std::string& path) {
  // Only the head of a plain file is read. What comes through a pipe has to be read whole to be read once.
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) {
    const os::BoundedText text = os::read_bounded(path);
    if (!text.problem.empty())
      throw Error(Errc::bad_input, "the profile " + path + " " + text.problem, "measure with 'charm probe' first");
    return read_head(text.text, path);
  }
  std::ifstream file(path, std::ios::binary);
  if (!file) throw Error(Errc::bad_input, "cannot read the profile " + path, "measure with 'charm probe' first");
  return read_head(file, path);
}

bool is_profile(const std::string& path) {
  std::error_code ignored;
  if (!std::filesystem::is_regular_file(path, ignored)) return false;
  std::ifstream file(path, std::ios::binary);
  std::string head(256, '\0');
  file.read(head.data(), static_cast<std::streamsize>(head.size()));
  head.resize(static_cast<std::size_t>(file.gcount()));
  const auto first = head.find_first_not_of(" \t\r\n");
  return first != std::string::npos && head[first] == '{' && !is_of_lscpu(head);
}

bool is_of_lscpu(std::string_view text) {
  constexpr std::size_t where_its_key_is = 24;
  const std::string_view head = text.substr(0, where_its_key_is);
  return head.find("\"lscpu\"") != std::string_view::npos || head.find("\"cpus\"") != std::string_view::npos;
}

std::optional<std::string> profile_folder() {
  if (const char* data = base::environment("XDG_DATA_HOME"); data != nullptr && *data == '/')
    return std::string(data) + "/charm/profiles";
  if (const char* home = base::environment("HOME"); home != nullptr && *home != '\0')
    return std::string(home) + "/.local/share/charm/profiles";
  return std::nullopt;
}

namespace {

std::string plain_name(const std::string& text) {
  std::string name;
  for (char c : text) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    if (plain) {
      name += c;
    } else if (!name.empty() && name.back() != '-') {
      name += '-';
    }
  }
  while (!name.empty() && name.back() == '-') name.pop_back();
  return name.empty() ? "machine" : name.substr(0, 60);
}

}  // namespace

std::string profile_file_name(const ProfileKey& key) {
  // FNV-1a over what has to agree, so that each cpu set of a machine has a file of its own.
  std::ostringstream text;
  text << key.name << '|' << key.cpus << '|' << key.cores << '|' << key.nodes << '|' << key.sockets;
  for (int cpu : key.measured_cpus) text << ',' << cpu;
  std::uint64_t hash = 14695981039346656037ULL;
  for (const char c : text.str()) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211ULL;
  char hex[17];
  std::snprintf(hex, sizeof hex, "%016llx", static_cast<unsigned long long>(hash));
  return plain_name(key.name) + "-" + hex + ".json";
}

StoredProfile find_stored_profile(const Machine& machine) {
  namespace fs = std::filesystem;
  StoredProfile stored;
  const auto folder = profile_folder();
  std::error_code error;
  if (!folder || !fs::is_directory(*folder, error)) return stored;
  const ProfileKey key = key_of(machine);
  const std::string path = *folder + "/" + profile_file_name(key);
  if (fs::exists(path, error)) {
    try {
      ProfilePicture picture = read_profile_picture(path);
      stored.refusal = mismatch(picture.key, machine);
      if (stored.refusal.empty()) {
        stored.picture = std::move(picture);
      } else {
        stored.refusal = path + ": " + stored.refusal;
      }
    } catch (const Error& problem) {
      stored.refusal = problem.what();
    }
    return stored;
  }
  // A profile of the same processor with other cpus exists: say why it is not used.
  const std::string prefix = plain_name(key.name) + "-";
  for (fs::directory_iterator entry(*folder, error), end; !error && entry != end; entry.increment(error)) {
    const std::string name = entry->path().filename().string();
    if (name.rfind(prefix, 0) != 0 || entry->path().extension() != ".json") continue;
    try {
      const ProfilePicture other = read_profile_picture(entry->path().string());
      if (other.key.name != key.name) continue;
      stored.refusal = entry->path().string() + ": " + mismatch(other.key, machine);
      return stored;
    } catch (const Error& problem) {
      stored.refusal = problem.what();
    }
  }
  return stored;
}

}  // namespace charm::topology
