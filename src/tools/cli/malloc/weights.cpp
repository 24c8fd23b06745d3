// `charm malloc weights`: what the policy gives on a machine, and publishing it for the malloc of this user's programs.
#include <charm/error.hpp>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <optional>
#include <ostream>
#include <system_error>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "os/files/output_file.hpp"
#include "os/files/system_files.hpp"
#include "tools/cli/malloc/commands.hpp"
#include "tools/cli/malloc/live.hpp"
#include "tools/cli/text_table.hpp"
#include "tools/memory_traffic/publish.hpp"

namespace charm::cli {
namespace {

struct Row {
  const memory_traffic::Domain* root = nullptr;
  memory_traffic::Weights weights;
  int normal = -1;
  double gb_per_s = 0, interleaved = 0, local = 0;
};

std::vector<Row> rows_of(const WeightSource& source, const memory_traffic::Bandwidths& left) {
  std::vector<Row> rows;
  for (const int root : memory_traffic::roots(source.model)) {
    memory_traffic::Question question{.model = &source.model, .left = left, .root = root};
    question.demand_gb_per_s = source.demand_gb_per_s;
    const memory_traffic::AccessTree tree = access_tree(source.model, root, left);
    Row row;
    row.root = &source.model.domains[static_cast<std::size_t>(root)];
    row.weights = huge_weights(*source.policy, question);
    row.normal = normal_memory(*source.policy, question);
    row.gb_per_s = rate(tree, row.weights);
    row.interleaved = rate(tree, huge_weights(memory_traffic::policy("interleave"), question));
    row.local = rate(tree, huge_weights(memory_traffic::policy("local"), question));
    rows.push_back(std::move(row));
  }
  return rows;
}

int os_node_of(const WeightSource& source, int memory) {
  return memory < 0 ? -1 : source.model.memories[static_cast<std::size_t>(memory)].os_node;
}

/// The traffic of an interval, and where it was read.
struct Seen {
  std::string source;
  memory_traffic::Bandwidths used;
  std::vector<std::string> notes;
};

Seen seen_traffic(const WeightSource& source, const MallocWeightsOptions& options) {
  const auto opened =
      memory_traffic::open_source(memory_traffic::live_surroundings(source.model, source.machine), options.source);
  opened->read(base::monotonic_seconds());
  std::this_thread::sleep_for(std::chrono::duration<double>(options.interval));
  return {opened->description(), opened->read(base::monotonic_seconds()), opened->notes()};
}

std::string weights_json(const WeightSource& source, const std::vector<Row>& rows, const std::string& published,
                         const std::optional<Seen>& seen) {
  base::Json roots = base::Json::array();
  for (const Row& row : rows) {
    base::Json weights = base::Json::array();
    for (std::size_t m = 0; m < row.weights.size(); ++m)
      weights.push_back({{"node", source.model.memories[m].os_node}, {"weight", row.weights[m]}});
    base::Json normal = nullptr;
    if (row.normal >= 0) normal = os_node_of(source, row.normal);
    roots.push_back({{"cpus_of_node", row.root->os_node},
                     {"weights", std::move(weights)},
                     {"normal_node", std::move(normal)},
                     {"gb_per_s", row.gb_per_s},
                     {"interleaved_gb_per_s", row.interleaved},
                     {"local_gb_per_s", row.local}});
  }
  base::Json json{{"machine", source.model.name}, {"model", source.origin}, {"policy", source.policy->name}};
  if (!published.empty()) json["published"] = published;
  if (seen) {
    base::Json used = base::Json::array();
    for (std::size_t m = 0; m < source.model.memories.size(); ++m)
      used.push_back({{"node", source.model.memories[m].os_node}, {"gb_per_s", seen->used.memory[m]}});
    json["traffic"] = {{"source", seen->source}, {"memories", std::move(used)}};
  }
  json["roots"] = std::move(roots);
  json["notes"] = source.model.notes;
  return base::json_text(json, 2) + "\n";
}

std::string weights_text(const WeightSource& source, const std::vector<Row>& rows, const std::optional<Seen>& seen,
                         bool colour) {
  std::vector<Column> columns = {{"cpus of"}};
  for (const memory_traffic::Memory& memory : source.model.memories)
    columns.push_back({"node " + std::to_string(memory.os_node), Column::Align::right});
  columns.push_back({"normal"});
  for (const char* title : {"GB/s", "interleaved", "local"}) columns.push_back({title, Column::Align::right});
  std::vector<std::vector<Cell>> cells;
  for (const Row& row : rows) {
    std::vector<Cell> line = {{"node " + std::to_string(row.root->os_node), "1"}};
    for (const double weight : row.weights)
      line.push_back({weight > 0 ? base::format_percent(weight) : "–", weight > 0 ? "36" : "2"});
    line.push_back({row.normal < 0 ? "first touch" : "node " + std::to_string(os_node_of(source, row.normal)), ""});
    for (const double rate : {row.gb_per_s, row.interleaved, row.local}) line.push_back({base::three_digits(rate), ""});
    cells.push_back(std::move(line));
  }
  std::string text = fmt::format("machine  {}\nmodel    {}\npolicy   {}: {}\n", source.model.name, source.origin,
                                 source.policy->name, source.policy->summary);
  if (seen) {
    text += "traffic  " + seen->source + ":";
    for (std::size_t m = 0; m < source.model.memories.size(); ++m)
      text +=
          fmt::format(" node {} {} GB/s", source.model.memories[m].os_node, base::three_digits(seen->used.memory[m]));
    text += "\n";
  }
  text += "\n";
  text += render_table(columns, cells, colour);
  for (const std::string& note : source.model.notes) text += "note: " + note + "\n";
  if (seen) {
    for (const std::string& note : seen->notes) text += "note: " + note + "\n";
  }
  if (source.model.memories.size() == 1)
    text += "note: the machine has one memory: there is nothing to choose, and the malloc places nothing\n";
  return text;
}

void refuse_beside_sampler(const std::string& path) {
  if (!os::has_writer(path)) return;
  throw Error(Errc::bad_input, "a sampler (charm malloc sample) keeps " + path + " up to date",
              "end it first, or name another file with --file");
}

int withdraw(const MallocWeightsOptions& options, Session& session) {
  if (options.publish)
    throw Error(Errc::bad_config, "--withdraw and --publish contradict each other", "choose one of them");
  const std::string path = options.file.empty() ? published_weights() : options.file;
  refuse_beside_sampler(path);
  std::error_code error;
  if (std::filesystem::exists(path, error)) memory_traffic::page_from_bytes(os::read_text(path), path);  // ours alone
  const bool removed = std::filesystem::remove(path, error);
  if (error)
    throw Error(Errc::system, "cannot remove " + path + ": " + error.message(), "look at the rights of its folder");
  if (options.output.json)
    session.out << base::json_text(base::Json{{"withdrawn", removed ? base::Json(path) : base::Json()}}, 2) << '\n';
  else
    session.out << (removed ? "withdrawn: " + path : "nothing is published in " + path) << '\n';
  return exit_done;
}

}  // namespace

int malloc_weights(const MallocWeightsOptions& options, Session& session) {
  if (options.kernel) return malloc_kernel_weights(options, session);
  if (options.withdraw) return withdraw(options, session);
  if (!options.file.empty()) os::check_writable(options.file);
  const WeightSource source = weight_source(options.weights);
  if (options.live && !source.machine.is_live()) {
    throw Error(Errc::bad_input, "--live: the traffic of " + source.machine.origin + " cannot be read here",
                "leave out --from");
  }
  std::optional<Seen> seen;
  if (options.live) seen = seen_traffic(source, options);
  const memory_traffic::Bandwidths left = seen ? remaining(source.model, seen->used) : capacities(source.model);
  const std::vector<Row> rows = rows_of(source, left);
  std::string published;
  if (options.publish || !options.file.empty()) {
    if (!source.machine.is_live() && options.file.empty()) {
      throw Error(Errc::bad_input, "--publish: the weights of " + source.machine.origin + " are not this machine's",
                  "leave out --from, or name a file with --file");
    }
    published = options.file.empty() ? published_weights() : options.file;
    refuse_beside_sampler(published);
    os::replace_whole(published, memory_traffic::page_bytes(weight_page(source.model, source.machine, *source.policy,
                                                                        left, source.demand_gb_per_s)));
  }
  if (options.output.json) {
    session.out << weights_json(source, rows, published, seen);
  } else {
    session.out << weights_text(source, rows, seen, colour_on_stdout(options.output.colour));
    if (!published.empty()) session.out << "\npublished: " << published << '\n';
    for (const std::string& path : {published_weights(), machine_weights()}) {
      const std::string state = published.empty() && source.machine.is_live() ? state_of_weights(path) : "";
      if (!state.empty()) session.out << "\nin " << path << ": " << state << '\n';
    }
  }
  return exit_done;
}

}  // namespace charm::cli
