// `charm malloc profile`: measures what the memories and buses of this machine carry, and keeps the model.
#include <charm/error.hpp>

#include <algorithm>
#include <cmath>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <ostream>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "base/registry.hpp"
#include "os/files/output_file.hpp"
#include "os/memory/memory.hpp"
#include "tools/cli/malloc/commands.hpp"
#include "tools/memory_traffic/load_profiling.hpp"
#include "tools/memory_traffic/model_json.hpp"
#include "tools/memory_traffic/profiling.hpp"
#include "tools/memory_traffic/source.hpp"
#include "tools/probe/measuring/loaded_read.hpp"
#include "tools/probe/measuring/node_memory_speed.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

/// A cpu of each core of some nodes.
std::vector<int> cpus_of_nodes(const Machine& machine, const std::vector<int>& os_nodes) {
  std::vector<int> cpus;
  for (const Core& core : machine.cores) {
    const int node = machine.nodes[static_cast<std::size_t>(core.node)].os_index;
    if (std::find(os_nodes.begin(), os_nodes.end(), node) != os_nodes.end()) cpus.push_back(core.cpu);
  }
  return cpus;
}

/// Larger than what caches hold of it, but not more than a quarter of the free memory for all cores together.
std::size_t bytes_of_a_core(const Machine& machine) {
  std::size_t most_l3 = 0;
  for (const Chiplet& chiplet : machine.chiplets)
    most_l3 = std::max<std::size_t>(most_l3, chiplet.l3_bytes / std::max<std::size_t>(1, chiplet.cores.size()));
  const std::size_t wanted = std::max(64 * mib, 4 * most_l3);
  const std::size_t room = os::available_bytes().value_or(wanted * 4 * machine.cores.size()) / 4;
  return std::clamp(room / std::max<std::size_t>(1, machine.cores.size()), 4 * mib, wanted);
}

memory_traffic::Prober live_prober(const Machine& machine, double seconds) {
  memory_traffic::Prober prober;
  const std::size_t bytes = bytes_of_a_core(machine);
  // A measurement of all nodes takes some tenths of a second a round; there are about two for each domain.
  const int rounds = std::clamp(static_cast<int>(seconds * 2 / static_cast<double>(machine.nodes.size() + 2)), 2, 20);
  prober.gb_per_s = [&machine, bytes, rounds](const std::vector<int>& readers, const std::vector<int>& memories) {
    return probe::read_gb_per_s(cpus_of_nodes(machine, readers), memories, bytes, rounds);
  };
  prober.core_gb_per_s = [&machine, bytes, rounds](int reader, int memory) {
    return probe::read_gb_per_s({cpus_of_nodes(machine, {reader}).front()}, {memory}, bytes, rounds);
  };
  prober.latency_ns = [&machine, bytes, rounds](int reader, int memory) {
    return probe::read_latency_ns(cpus_of_nodes(machine, {reader}).front(), memory, 4 * bytes, std::min(rounds, 5));
  };
  for (const Node& node : machine.nodes)
    prober.cores_of_a_node =
        std::max(prober.cores_of_a_node, static_cast<int>(cpus_of_nodes(machine, {node.os_index}).size()));
  return prober;
}

/// What the load's traffic is counted by: the events of a source where there is one, else what the load itself reads.
class LiveLoads {
 public:
  LiveLoads(const Machine& machine, const memory_traffic::Model& model, const MallocProfileOptions& options)
      : machine_(machine), seconds_(std::clamp(options.seconds / 400, 0.01, 0.5)) {
    if (options.source == "none") return;
    try {
      source_ = memory_traffic::open_source(memory_traffic::live_surroundings(model, machine), options.source);
    } catch (const Error& error) {
      if (options.source != "auto") throw;
    }
  }

  [[nodiscard]] std::string note() const {
    return source_ ? "traffic under load was counted by " + source_->description()
                   : "traffic under load is what the load itself read: this machine has no traffic counters that can "
                     "be used";
  }

  std::optional<memory_traffic::LoadPoint> operator()(const memory_traffic::BusLoad& load) {
    std::vector<int> readers = cpus_of_nodes(machine_, load.readers);
    const auto loads = static_cast<std::size_t>(load.cores * static_cast<double>(readers.size()));
    if (loads == 0 || loads == readers.size()) return std::nullopt;
    if (!read_ || load.domain != last_.domain || load.memory != last_.memory || load.cores != last_.cores ||
        load.readers != last_.readers) {
      // Every so many cores one is of the load, so that both are on all chiplets.
      std::vector<int> of_load;
      std::vector<int> others;
      for (std::size_t i = 0; i < readers.size(); ++i)
        ((i + 1) * loads / readers.size() > i * loads / readers.size() ? of_load : others).push_back(readers[i]);
      read_.reset();  // its memory first
      read_ = std::make_unique<probe::LoadedRead>(of_load, others, load.memories, bytes_of_a_core(machine_));
      last_ = load;
    }
    if (source_) source_->read(base::monotonic_seconds());
    memory_traffic::LoadPoint point{.traffic = read_->load_alone(load.part, seconds_)};
    if (source_ && load.part > 0) {
      const memory_traffic::Bandwidths counted = source_->read(base::monotonic_seconds());
      const double events = load.domain >= 0 ? counted.out[static_cast<std::size_t>(load.domain)]
                                             : counted.memory[static_cast<std::size_t>(load.memory)];
      if (events > 0) point.traffic = events;  // a source may not know this bus
    }
    point.gb_per_s = read_->beside_load(load.part, seconds_);
    return point;
  }

 private:
  const Machine& machine_;
  double seconds_;
  std::unique_ptr<memory_traffic::TrafficSource> source_;
  std::unique_ptr<probe::LoadedRead> read_;
  memory_traffic::BusLoad last_;
};

std::string now_text() {
  const std::time_t now = std::time(nullptr);
  std::tm parts{};
  char text[32];
  const std::size_t length =
      gmtime_r(&now, &parts) == nullptr ? 0 : std::strftime(text, sizeof text, "%Y-%m-%dT%H:%M:%SZ", &parts);
  return {text, length};
}

}  // namespace

int malloc_profile(const MallocProfileOptions& options, Session& session) {
  if (options.source != "auto" && options.source != "none" &&
      !base::named(memory_traffic::source_kinds(), options.source, "source of traffic").automatic)
    throw Error(Errc::bad_config, "--source " + options.source + " does not count what is read now",
                "give a source of counters, or none");
  const Machine machine = topology::discover({});
  const std::string path = options.file.empty() ? stored_model(machine) : options.file;
  if (path.empty())
    throw Error(Errc::bad_input, "there is no folder for the model: neither XDG_DATA_HOME nor HOME is set",
                "name a file with --file");
  if (options.file.empty()) {
    std::error_code failed;
    std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  }
  os::check_writable(path);
  Progress progress(session.err, Progress::mode_for_stderr(options.output.quiet));
  memory_traffic::Model model =
      memory_traffic::measured_model(memory_traffic::model_of(machine), live_prober(machine, options.seconds),
                                     [&](const std::string& what) { progress.step("measuring " + what); });
  if (model.memories.size() > 1) {
    LiveLoads loads(machine, model, options);
    memory_traffic::measure_under_load(
        model, [&](const memory_traffic::BusLoad& load) { return loads(load); }, options.error_percent / 100,
        [&](const std::string& what) { progress.step("measuring " + what); });
    model.notes.push_back(loads.note());
  }
  progress.clear();
  model.date = now_text();
  if (model.memories.size() == 1)
    model.notes.emplace_back(
        "the machine has one memory: no bus was measured, none under load, and the malloc places nothing");
  const std::string text = model_to_json(model);
  os::write_whole(path, text);
  if (options.output.json) {
    session.out << text;
  } else {
    for (const memory_traffic::Memory& memory : model.memories)
      session.out << "node " << memory.os_node << ": " << std::lround(memory.gb_per_s) << " GB/s, "
                  << std::lround(memory.latency_ns) << " ns\n";
    for (const memory_traffic::Domain& domain : model.domains) {
      if (domain.out_gb_per_s != memory_traffic::unlimited)
        session.out << domain.name << ": others read " << std::lround(domain.out_gb_per_s) << " GB/s from it\n";
    }
    for (const memory_traffic::LoadFit& load : model.loads) {
      session.out << load.type << " under load of " << base::three_digits(load.fit.highest)
                  << " GB/s: " << base::three_digits(load.fit(load.fit.highest)) << " of "
                  << base::three_digits(load.fit(load.fit.lowest)) << " GB/s are left (polynomial of degree "
                  << load.fit.coefficients.size() - 1 << ", " << base::format_percent(load.fit.error) << " off)\n";
    }
    for (const std::string& note : model.notes) session.out << "note: " << note << '\n';
    session.out << "model: " << path << '\n';
  }
  return exit_done;
}

}  // namespace charm::cli
