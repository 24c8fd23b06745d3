#include "tools/cli/probe.hpp"

#include <charm/error.hpp>
#include <charm/machine.hpp>

#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <sstream>
#include <thread>

#include "os/files/output_file.hpp"
#include "tools/cli/console.hpp"
#include "tools/probe/measuring/measure.hpp"
#include "tools/probe/picture.hpp"
#include "topology/discovery.hpp"

namespace charm::cli {
namespace {

/// Turns Ctrl-C into a flag while it lives. A thread waits for the signal, so that no handler needs a global variable.
class Interruption {
 public:
  Interruption() {
    sigset_t interrupt = signals();
    pthread_sigmask(SIG_BLOCK, &interrupt, &before_);
    watcher_ = std::thread([this] {
      const sigset_t awaited = signals();
      while (!leave_.load()) {
        const timespec patience{0, 100'000'000};
        if (sigtimedwait(&awaited, nullptr, &patience) > 0) stop_.store(true);
      }
    });
  }
  ~Interruption() {
    leave_.store(true);
    watcher_.join();
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
  }
  Interruption(const Interruption&) = delete;
  Interruption& operator=(const Interruption&) = delete;
  [[nodiscard]] const std::atomic<bool>& stop() const { return stop_; }

 private:
  static sigset_t signals() {
    sigset_t set;
    sigemptyset(&set);
    sigaddset(&set, SIGINT);
    sigaddset(&set, SIGTERM);
    return set;
  }
  sigset_t before_{};
  std::atomic<bool> stop_{false};
  std::atomic<bool> leave_{false};
  std::thread watcher_;
};

probe::MeasureOptions measure_options(const ProbeOptions& options) {
  probe::MeasureOptions measure;
  const auto wanted = [&](const char* part) {
    return options.parts.empty() || std::find(options.parts.begin(), options.parts.end(), part) != options.parts.end();
  };
  measure.latency = wanted("latency");
  measure.bandwidth = wanted("bandwidth");
  measure.stream = wanted("stream");
  measure.working_set = wanted("caches");
  measure.writes = wanted("writes");
  measure.pairs = options.pairs;
  measure.budget_s = options.budget_s;
  return measure;
}

void check_options(const ProbeOptions& options) {
  static const std::vector<std::string> parts = {"latency", "bandwidth", "stream", "caches", "writes"};
  for (const auto& part : options.parts) {
    if (std::find(parts.begin(), parts.end(), part) == parts.end()) {
      throw Error(Errc::bad_config, "there is nothing called '" + part + "' to measure",
                  "use latency, bandwidth, stream, caches or writes");
    }
  }
  if (!options.cluster.empty() && !options.show.empty())
    throw Error(Errc::bad_config, "--cluster and --show exclude each other", "choose one of them");
  if (!(options.budget_s >= 1 && options.budget_s <= 86400))
    throw Error(Errc::bad_config, "a budget of " + std::to_string(options.budget_s) + " s", "give 1 to 86400 seconds");
  for (const auto& path : {options.csv, options.svg, options.html}) {
    if (!path.empty()) os::check_writable(path);
  }
}

probe::Profile measured(const ProbeOptions& options, const Machine& machine, std::ostream& err) {
  const Interruption interruption;
  Progress progress(err, Progress::mode_for_stderr(options.quiet));
  std::string last;
  return probe::measure(
      machine, measure_options(options),
      [&](const probe::Progress& now) {
        char text[96];
        std::snprintf(text, sizeof text, " %3.0f %%, about %.0f s left", now.share * 100, now.left_s);
        if (now.doing != last) progress.step(now.doing + text);
        last = now.doing;
        progress.detail(now.doing + text);
      },
      interruption.stop());
}

void write_files(const ProbeOptions& options, const probe::Profile& profile) {
  if (!options.csv.empty()) {
    std::ostringstream text;
    probe::write_latency_csv(text, profile.latency);
    os::write_whole(options.csv, text.str());
  }
  if (!options.svg.empty())
    os::write_whole(options.svg, probe::heatmap_svg(profile.latency, profile.cpus, "Latency between cpus", "ns"));
  if (!options.html.empty()) os::write_whole(options.html, probe::profile_html(profile));
}

/// A profile that is doubtful does not take the place of one that is not.
void keep(const probe::Profile& profile, const std::string& path, bool quiet, std::ostream& err) {
  if (!profile.doubts.empty()) {
    err << "charm: this measurement is doubtful: " << profile.doubts.front()
        << "; measure again when the machine is quiet\n";
    try {
      if (const auto before = topology::read_profile_picture(path); before.doubts.empty() && !before.partial) {
        err << "charm: the profile of " << before.date << " stays in " << path << '\n';
        return;
      }
    } catch (const Error&) {  // there is none that could be read
    }
  }
  probe::store_profile(profile, path);
  if (!quiet) err << "charm: profile kept in " << path << '\n';
}

}  // namespace

int probe_command(const ProbeOptions& options, std::ostream& out, std::ostream& err) {
  check_options(options);
  if (!options.cluster.empty()) {
    const auto matrix = probe::read_latency_csv(options.cluster);
    const auto seen = probe::cluster(matrix);
    probe::Profile paper;
    paper.latency = matrix;
    for (int row = 0; row < matrix.rows(); ++row) paper.cpus.push_back(row);
    paper.seen = seen;
    if (!options.svg.empty())
      os::write_whole(options.svg, probe::heatmap_svg(matrix, paper.cpus, options.cluster, "ns"));
    if (!options.html.empty()) os::write_whole(options.html, probe::profile_html(paper));
    if (options.json) {
      out << probe::clustering_json(seen);
    } else {
      out << probe::heatmap_text(matrix, "ns", {options.ascii, options.colour}) << '\n' << probe::clustering_text(seen);
    }
    return 0;
  }

  // As the system shows it: what was measured before must not colour what is measured now.
  const char* topology = std::getenv("CHARM_TOPOLOGY");
  const Machine machine = topology::discover_quietly({topology == nullptr ? "" : topology, "off", {}}).machine;
  const bool show = !options.show.empty();
  const probe::Profile profile =
      show ? probe::load_profile(options.show == "-" ? probe::profile_path(topology::key_of(machine)) : options.show)
           : measured(options, machine, err);
  write_files(options, profile);
  // What is partial or measures one thing alone must not take the place of a whole profile.
  const bool whole = !profile.partial && options.parts.empty();
  if (!show && options.store && whole) {
    keep(profile, probe::profile_path(profile.key), options.quiet, err);
  }
  out << (options.json ? probe::profile_json(profile) : probe::profile_text(profile, {options.ascii, options.colour}));
  if (profile.partial && !show) err << "charm: interrupted; the result is partial and was not kept\n";
  return profile.partial && !show ? 1 : 0;
}

}  // namespace charm::cli
