// `charm malloc sample`: reads the machine's memory traffic, and keeps the weights of all programs under the malloc up
// to date. One is enough for a machine: programs read its page and have no thread of their own.
#include <charm/error.hpp>

#include <chrono>
#include <csignal>
#include <fstream>
#include <optional>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "os/files/output_file.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/malloc/commands.hpp"
#include "tools/cli/malloc/live.hpp"
#include "tools/memory_traffic/traffic_recording.hpp"
#include "tools/os/terminal.hpp"

namespace charm::cli {
namespace {

using Clock = std::chrono::steady_clock;

base::Json memories_json(const LiveWeights& live) {
  base::Json memories = base::Json::array();
  for (std::size_t m = 0; m < live.model().memories.size(); ++m)
    memories.push_back({{"node", live.model().memories[m].os_node},
                        {"gb_per_s", live.reading().memory[m]},
                        {"own_gb_per_s", live.own().memory[m]},
                        {"left_gb_per_s", live.sampler().left().memory[m]}});
  return memories;
}

std::string sample_json(const LiveWeights& live, double seconds, bool changed) {
  const memory::WeightPage& page = live.sampler().page();
  base::Json roots = base::Json::array();
  for (std::size_t r = 0; r < page.roots; ++r) {
    base::Json weights = base::Json::array();
    for (std::size_t m = 0; m < page.memories; ++m) weights.push_back(page.weights[r][m]);
    roots.push_back(std::move(weights));
  }
  const base::Json json{{"seconds", seconds},
                        {"changed", changed},
                        {"own_is_counted", live.programs().is_counted()},
                        {"memories", memories_json(live)},
                        {"weights", std::move(roots)}};
  return base::json_text(json) + "\n";
}

std::string sample_text(const LiveWeights& live, double seconds) {
  std::string text = fmt::format("{:8.1f} s ", seconds);
  const memory::WeightPage& page = live.sampler().page();
  for (std::size_t m = 0; m < page.memories; ++m)
    text += fmt::format("  node {} {:.1f} GB/s", page.os_node[m], live.reading().memory[m]);
  text += "; weights of node " + std::to_string(page.os_node[0]) + "'s cpus";
  for (std::size_t m = 0; m < page.memories; ++m) text += fmt::format(" {}", page.weights[0][m]);
  return text + "\n";
}

}  // namespace

int malloc_sample(const MallocSampleOptions& options, Session& session) {
  if (options.all_users && !options.file.empty())
    throw Error(Errc::bad_input, "--all-users and --file name two files", "leave one of them out");
  if (options.all_users && os::user_id() != 0) {
    throw Error(Errc::bad_input, "--all-users without root's rights: other users' programs would not trust the file",
                "run it as root, or leave --all-users out");
  }
  const WeightSource from = weight_source(options.weights);
  if (!from.machine.is_live() && (options.file.empty() || !options.source.starts_with("replay:"))) {
    throw Error(Errc::bad_input, "--from: the traffic of " + from.machine.origin + " cannot be read here",
                "leave out --from, or give --source replay:FILE and --file FILE");
  }
  const std::string path = !options.file.empty() ? options.file
                           : options.all_users   ? machine_weights()
                                                 : published_weights();
  if (!options.record.empty()) os::check_writable(options.record);
  LiveWeights live(from, options.source, path, options.all_users);
  if (from.model.memories.size() == 1)
    session.err << "charm: malloc: the machine has one memory: there is nothing to choose\n";
  if (!options.output.json) {
    session.out << "source   " << live.source().description() << "\nmodel    " << from.origin << "\nweights  " << path
                << '\n';
    for (const std::string& note : live.source().notes()) session.out << "note: " << note << '\n';
    if (const std::string why = live.programs().why_not_counted(); live.source().is_live() && !why.empty())
      session.out << "note: what programs under the malloc read is estimated from where they are busy: " << why << '\n';
    session.out << std::flush;
  }
  std::ofstream recording;
  if (!options.record.empty()) {
    recording.open(options.record);
    recording << memory_traffic::traffic_heading(from.model);
  }
  const os::SignalQueue signals;
  const double began = base::monotonic_seconds();
  const auto interval = std::chrono::duration_cast<Clock::duration>(std::chrono::duration<double>(options.interval));
  auto next = Clock::now() + interval;
  int ended_by = 0;
  while (ended_by == 0) {
    const os::TerminalEvent event = os::wait_for_event(signals, false, next);
    if (event.kind == os::TerminalEvent::Kind::signal) {
      if (event.value == SIGTSTP) raise(SIGSTOP);
      if (event.value != SIGWINCH && event.value != SIGTSTP) ended_by = event.value;
      continue;
    }
    next = std::max(next + interval, Clock::now() + interval / 4);  // what took too long is left out
    const bool changed = live.step();
    const double seconds = base::monotonic_seconds() - began;
    if (recording.is_open()) {
      recording << memory_traffic::traffic_line({seconds, live.reading()}) << std::flush;
      if (!recording)
        throw Error(Errc::system, "the recording " + options.record + " cannot be written", "is the file system full?");
    }
    if (options.output.json)
      session.out << sample_json(live, seconds, changed) << std::flush;
    else if (changed)
      session.out << sample_text(live, seconds) << std::flush;
    if (!session.out || (options.seconds > 0 && seconds >= options.seconds)) break;
  }
  live.leave();
  return exit_done;
}

}  // namespace charm::cli
