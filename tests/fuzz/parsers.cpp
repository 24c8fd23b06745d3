#include "fuzz/parsers.hpp"

#include <charm/error.hpp>
#include <charm/graph_selector.hpp>
#include <charm/id_set.hpp>

#include <algorithm>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <system_error>
#include <unistd.h>
#include <utility>

#include <nlohmann/json.hpp>
#include <sys/mman.h>

#include "base/settings_file.hpp"
#include "counters/event_text.hpp"
#include "counters/recording.hpp"
#include "lease/table.hpp"
#include "os/processes/process_stat.hpp"
#include "tools/compare/scan.hpp"
#include "tools/deploy/plan_json.hpp"
#include "tools/evaluate/json.hpp"
#include "tools/memory_traffic/model_json.hpp"
#include "tools/memory_traffic/publish.hpp"
#include "tools/memory_traffic/traffic_recording.hpp"
#include "tools/os/program_file.hpp"
#include "tools/probe/latency_matrix.hpp"
#include "tools/probe/profile.hpp"
#include "tools/selector_training/graph_plan.hpp"
#include "tools/sim/deployments.hpp"
#include "tools/sim/generator.hpp"
#include "tools/sim/graph_record.hpp"
#include "tools/sim/model.hpp"
#include "tools/sim/replay.hpp"
#include "tools/sim/task_dag.hpp"
#include "tools/top/controller_state.hpp"
#include "topology/build.hpp"
#include "topology/description.hpp"
#include "topology/profile.hpp"
#include "topology/survey_wire.hpp"
#include "topology/synthetic.hpp"
#include "workloads/executor/serial.hpp"
#include "workloads/factor/matrix_market.hpp"
#include "workloads/graph/load.hpp"
#include "workloads/sgd/libsvm.hpp"

namespace charm::test {
namespace {

/// The text as a file in memory, for parsers that open one.
class MemoryFile {
 public:
  explicit MemoryFile(const std::string& text) : descriptor_(memfd_create("charm-fuzz", MFD_CLOEXEC)) {
    if (descriptor_ < 0) throw std::system_error(errno, std::generic_category(), "memfd_create");
    for (std::size_t at = 0; at < text.size();) {
      const ssize_t wrote = write(descriptor_, text.data() + at, text.size() - at);
      if (wrote < 0) throw std::system_error(errno, std::generic_category(), "write");
      at += static_cast<std::size_t>(wrote);
    }
  }
  MemoryFile(const MemoryFile&) = delete;
  MemoryFile& operator=(const MemoryFile&) = delete;
  ~MemoryFile() { close(descriptor_); }

  [[nodiscard]] std::string path() const { return "/proc/self/fd/" + std::to_string(descriptor_); }

 private:
  int descriptor_;
};

base::Json json_of(const std::string& text) {
  base::Json json = base::Json::parse(text, nullptr, false);
  if (json.is_discarded()) throw Error(Errc::bad_input, "not JSON", "give JSON");
  return json;
}

void described(const std::string& text) { topology::machine_of(topology::read_description(text)); }

void survey(const std::string& text) {
  std::string problem;
  const auto survey = topology::survey_from_text(text, problem);
  if (!survey) throw Error(Errc::bad_input, problem, "");
  if (const auto wrong = topology::contradiction_in(*survey); !wrong.empty()) throw Error(Errc::bad_input, wrong, "");
  topology::build(*survey);
}

const memory_traffic::Model& two_nodes() {
  static const auto model = memory_traffic::model_of(Machine::from("numa:2 l3:1 core:2 pu:1"));
  return model;
}

void traffic(const std::string& text) { memory_traffic::recorded_traffic(two_nodes(), text, "fuzz"); }

void graph_plans(const std::string& text) {
  const MemoryFile file(text);
  const auto lines = selector_training::read_lines(file.path(), "graphs");
  for (std::size_t i = 1; i < lines.size(); ++i) selector_training::plan_from(lines[i], "fuzz");
}

/// A folder of this process for links whose names say the format.
class LinkFolder {
 public:
  LinkFolder() {
    if (mkdtemp(path_.data()) == nullptr) throw std::system_error(errno, std::generic_category(), "mkdtemp");
  }
  LinkFolder(const LinkFolder&) = delete;
  LinkFolder& operator=(const LinkFolder&) = delete;
  ~LinkFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }

  std::string to(const MemoryFile& file, const std::string& name) const {
    std::string link = path_ + "/" + name;
    unlink(link.c_str());
    if (symlink(file.path().c_str(), link.c_str()) != 0)
      throw std::system_error(errno, std::generic_category(), "symlink");
    return link;
  }

 private:
  std::string path_ = std::filesystem::temp_directory_path() / "charm-fuzz-XXXXXX";
};

void load(const std::string& path) {
  workloads::SerialExecutor serial;
  const auto loaded = workloads::load_graph(serial, path, false);
  if (loaded.weights.usable) workloads::load_weights(serial, path, loaded);
}

void graph(const std::string& text) {
  const MemoryFile file(text);
  load(file.path());
}

void load_as(const std::string& text, const std::string& name) {
  static const LinkFolder folder;
  const MemoryFile file(text);
  load(folder.to(file, name));
}

void samples(const std::string& text) {
  const MemoryFile file(text);
  workloads::SerialExecutor serial;
  workloads::load_libsvm(serial, file.path(), 1);
}

template <auto parse>
void file_of(const std::string& text) {
  const MemoryFile file(text);
  parse(file.path());
}

void xml(const std::string& text) {
  const MemoryFile file(text);
  topology::machine_of(topology::read_description(file.path()));
}

/// Seeds that CHARM itself writes, and in binary for some.
using Seeds = std::vector<std::string>;

Seeds surveys() { return {topology::survey_text(*topology::plain_synthetic("pack:2 l3:2 core:2 pu:2"))}; }
Seeds recordings() { return {counters::recording_header({}) + counters::recording_line(0, {})}; }
Seeds leases() {
  lease::Entry entry;
  entry.pid = 1;
  entry.may = entry.holds = CoreCpuSet::parse("0-1");
  return {lease::encode({1, {entry}})};
}
Seeds evaluations() { return {evaluate::to_json({})}; }
Seeds weight_pages() {
  return {memory_traffic::page_bytes(memory_traffic::weight_page(two_nodes(), Machine::from("numa:2 l3:1 core:2 pu:1"),
                                                                 memory_traffic::policy("exact"),
                                                                 memory_traffic::capacities(two_nodes())))};
}
/// The head of this program.
Seeds programs() {
  std::ifstream self("/proc/self/exe", std::ios::binary);
  std::string head(1200, '\0');
  self.read(head.data(), static_cast<std::streamsize>(head.size()));
  return {head};
}
Seeds traffic_recordings() {
  memory_traffic::Bandwidths used = memory_traffic::capacities(two_nodes());
  for (auto* each : {&used.out, &used.in, &used.memory}) std::fill(each->begin(), each->end(), 1.5);
  return {memory_traffic::traffic_heading(two_nodes()) + memory_traffic::traffic_line({1, used})};
}

/// The path 0 - 1 - 2, as the GAP benchmark suite writes it: arcs that lead to 1, 0, 2 and 1.
std::string serialized_graph(bool weighted) {
  std::string text(1, '\0');
  auto add = [&text](auto number) { text.append(reinterpret_cast<const char*>(&number), sizeof number); };
  for (const std::int64_t number : {4, 3, 0, 1, 3, 4}) add(number);
  for (const std::int32_t neighbour : {1, 0, 2, 1}) {
    add(neighbour);
    if (weighted) add(std::int32_t{5});
  }
  return text;
}
Seeds serialized_graphs() { return {serialized_graph(false)}; }
Seeds weighted_serialized_graphs() { return {serialized_graph(true)}; }

std::vector<Parser> all() {
  using Text = const std::string&;
  return {
      {"latencies",
       [](Text t) {
         std::istringstream in(t);
         probe::read_latency_csv(in, "fuzz");
       },
       {"tests/data/c2c/core-12900k.csv"}},
      {"profile", [](Text t) { probe::parse_profile(t, "fuzz"); }},
      {"picture", [](Text t) { topology::parse_profile_picture(t, "fuzz"); }},
      {"machine", xml, {"tests/data/topologies/AMD-1Ah-Zen5StrixPoint-RyzenAI9HX370.xml"}},
      {"synthetic", [](Text t) { described(t.find_first_of("/.") == std::string::npos ? t : std::string("core:1")); }},
      {"survey", survey, {}, surveys},
      {"settings",
       [](Text t) {
         const MemoryFile file(t);
         base::read_settings_file(file.path(), [](const std::string& name) { return name.size() < 9; });
       }},
      {"recording",
       [](Text t) {
         std::istringstream in(t);
         counters::read_recording(in, "fuzz");
       },
       {},
       recordings},
      {"events",
       [](Text t) {
         counters::parse_user_events(t);
         counters::parse_raw_event(t);
       }},
      {"lease", [](Text t) { lease::decode(t); }, {}, leases},
      {"selector", [](Text t) { GraphSelector::from_text("", t); }},
      {"ids", [](Text t) { (void)CpuSet::parse(t, "fuzz"); }},
      {"stat", [](Text t) { os::parse_process_stat(t); }},
      {"decision", [](Text t) { top::parse_decision_file(t, {}); }},
      {"program", file_of<os::preloading_into>, {}, programs},
      {"scan", [](Text t) { compare::combinations({compare::parse_scan(t)}); }},
      {"plan", [](Text t) { deploy::plan_from_json(json_of(t), "fuzz"); }},
      {"evaluation", [](Text t) { evaluate::from_json(t, "fuzz"); }, {}, evaluations},
      {"traffic_model",
       [](Text t) { memory_traffic::model_from_json(t, "fuzz"); },
       {"tests/data/traffic/profiled.json"}},
      {"traffic", traffic, {}, traffic_recordings},
      {"weights", [](Text t) { memory_traffic::page_from_bytes(t, "fuzz"); }, {}, weight_pages},
      {"task_graphs", graph_plans},
      {"sim_model", [](Text t) { sim::parse_model(t, "fuzz"); }, {"src/tools/sim/machines/graviton-3.json"}},
      {"sim_workload", [](Text t) { sim::workload(t, 2); }},
      {"sim_trace", [](Text t) { sim::parse_trace(t, "fuzz"); }},
      {"sim_graph", [](Text t) { sim::parse_graph_record(t, "fuzz"); }},
      {"sim_dags", [](Text t) { sim::parse_task_dags(t, "fuzz"); }},
      {"sim_queries", [](Text t) { sim::recorded_queries(t, "fuzz"); }, {"src/tools/sim/queries/tpch.json"}},
      {"graph", graph},
      {"graph_metis", [](Text t) { load_as(t, "fuzz.metis"); }},
      {"graph_binary", [](Text t) { load_as(t, "fuzz.sg"); }, {}, serialized_graphs},
      {"graph_binary_weighted", [](Text t) { load_as(t, "fuzz.wsg"); }, {}, weighted_serialized_graphs},
      {"matrix", file_of<workloads::factor::load_matrix>},
      {"samples", samples},
  };
}

std::string content_of(const std::filesystem::path& file) {
  std::ifstream in(file, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), std::istreambuf_iterator<char>()};
}

/// What is kept in tests/fuzz/FOLDER/PARSER, by name.
std::vector<std::string> kept_in(const std::string& folder, const Parser& parser) {
  const std::filesystem::path path = std::string(CHARM_SOURCE "/tests/fuzz/") + folder + "/" + parser.name;
  if (!std::filesystem::exists(path)) return {};
  std::vector<std::filesystem::path> files;
  for (const auto& file : std::filesystem::directory_iterator(path)) files.push_back(file.path());
  std::sort(files.begin(), files.end());
  std::vector<std::string> texts;
  for (const auto& file : files) texts.push_back(content_of(file));
  return texts;
}

}  // namespace

std::span<const Parser> parsers() {
  static const std::vector<Parser> list = all();
  return list;
}

std::vector<std::string> seeds_of(const Parser& parser) {
  std::vector<std::string> seeds = parser.made == nullptr ? Seeds{} : parser.made();
  for (const char* file : parser.files) seeds.push_back(content_of(std::string(CHARM_SOURCE "/") + file));
  for (std::string& text : kept_in("seeds", parser)) seeds.push_back(std::move(text));
  return seeds;
}

std::vector<std::string> refused_by(const Parser& parser) { return kept_in("refused", parser); }

std::string refusal(const Parser& parser, const std::string& text) {
  try {
    parser.parse(text);
    return "";
  } catch (const Error& error) {
    return error.what();
  }
}

}  // namespace charm::test
