#include "tools/evaluate/live.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <sstream>
#include <thread>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/json.hpp"
#include "controller/control_group.hpp"
#include "counters/recording.hpp"
#include "os/memory/node_memory.hpp"
#include "os/threads/affinity.hpp"
#include "tools/base/quantile.hpp"
#include "tools/os/measured_child.hpp"
#include "tools/probe/measuring/stream.hpp"

namespace charm::evaluate {
namespace {

constexpr std::size_t line = 64;

[[noreturn]] void refuse(const std::string& problem, const std::string& remedy) {
  throw Error(Errc::system, problem, remedy);
}

/// Arrays that each of STREAM's kernels touches, of its three.
double touched_arrays(Stream kernel) {
  switch (kernel) {
    case Stream::copy:
      return 2;
    case Stream::triad:
      return 3;
    default:
      return 1;
  }
}

void sweep(volatile char* data, std::size_t bytes) {
  for (std::size_t at = 0; at < bytes; at += line) data[at] = static_cast<char>(data[at] + 1);
}

/// In microseconds, on a thread of its own, which ends with it.
double moved(const MoveRun& run) {
  constexpr int warm_sweeps = 6;
  double result = 0;
  bool bound = false;
  std::thread([&] {
    const os::NodeMemory memory(std::max<std::size_t>(run.bytes, line));
    auto* data = static_cast<volatile char*>(memory.data());
    if (!os::bind_this_thread(CpuSet{run.from})) return;
    std::vector<double> steady;
    for (int i = 0; i < warm_sweeps; ++i) {
      const double begin = probe::now_ns();
      sweep(data, run.bytes);
      if (i >= warm_sweeps / 2) steady.push_back(probe::now_ns() - begin);
    }
    const double begin = probe::now_ns();
    bound = os::bind_this_thread(CpuSet{run.to});
    sweep(data, run.bytes);
    result = (probe::now_ns() - begin - base::median(steady)) / 1000;
  }).join();
  if (!bound) refuse(fmt::format("cannot move a thread from cpu {} to cpu {}", run.from, run.to), "allow both cpus");
  return std::max(result, 0.01);
}

}  // namespace

double LiveMeasuring::measure(const Variant& variant, double limit_s) {
  return std::visit([&](const auto& what) { return one(what, limit_s); }, variant.run);
}

double LiveMeasuring::one(const StreamRun& run, double limit_s) {
  // Small arrays take microseconds, so that more trials cost nothing; the first one warms up.
  constexpr std::size_t enough = std::size_t{256} << 20U;
  const int trials = static_cast<int>(std::clamp<std::size_t>(enough / std::max<std::size_t>(run.bytes, 1), 3, 150));
  const auto bytes = static_cast<std::size_t>(static_cast<double>(run.bytes) * 3 / touched_arrays(run.kernel));
  const probe::Deadline until{probe::now_ns() + limit_s * 1e9};
  const double rate =
      probe::stream(run.processes, bytes, trials, until).gb_per_s[static_cast<std::size_t>(run.kernel)].median;
  if (!(rate > 0)) refuse("no pass over the arrays was done in time", "measure on a quieter machine, or with --full");
  return rate;
}

double LiveMeasuring::one(const MoveRun& run, double /*limit_s*/) { return moved(run); }

double LiveMeasuring::one(const ReadingRun& /*run*/, double /*limit_s*/) {
  constexpr int readings = 2000;
  if (!source_) source_ = around_.counters();
  const auto counters = source_->open_for_this_thread(0);
  counters->read();
  const double begin = probe::now_ns();
  for (int i = 0; i < readings; ++i) counters->read();
  return (probe::now_ns() - begin) / readings;
}

/// The leader's poll at each tick, with counts that vary as those of a program do; the median of the ticks.
double LiveMeasuring::one(const DecisionRun& run, double /*limit_s*/) {
  constexpr int ticks = 200;
  const Machine machine = Machine::from(fmt::format("pack:1 l3:4 core:{} pu:1", run.workers));
  const auto placement = controller::placement_for("adaptive", machine, {.workers = run.workers});
  const auto setup = controller::setup_for(machine, placement, {});
  controller::ControlGroup group(
      run.workers, [&] { return controller::make_controller("adaptive", setup); }, 0, setup.traits);
  std::vector<controller::WorkerTotals> totals(static_cast<std::size_t>(run.workers));
  std::vector<double> took;
  double time = 0;
  for (int tick = 0; tick < ticks; ++tick) {
    const double period = group.period() * 1.01;
    for (auto& worker : totals) {
      const double share = 1 + 0.05 * (tick % 7) + (tick / 50 % 2);
      worker.busy += period * 0.98;
      worker.tasks += 400 * share;
      worker.instructions += 1e8 * share;
      for (double& fills : worker.fills) fills += 2e5 * share;
      worker.counters = true;
    }
    for (int w = 0; w + 1 < run.workers; ++w) group.poll(w, totals[static_cast<std::size_t>(w)], time);
    time += period;
    const double begin = probe::now_ns();
    group.poll(run.workers - 1, totals.back(), time);
    took.push_back((probe::now_ns() - begin) / 1000);
  }
  return base::median(took);
}

double LiveMeasuring::one(const FillRun& run, double limit_s) {
  const std::string file = (std::filesystem::path(around_.folder) / ".counts.csv").string();
  std::string text;
  try {
    said_by_bench(run.words, {"CHARM_COUNTERS=record:" + file}, limit_s);
    std::ifstream in(file, std::ios::binary);
    text.assign(std::istreambuf_iterator<char>(in), {});
  } catch (...) {
    std::filesystem::remove(file);
    throw;
  }
  std::filesystem::remove(file);
  return recorded_fills(text, run.part, run.whole);
}

std::vector<Samples> LiveMeasuring::bench(const Job& job, double limit_s) {
  return bench_rows(said_by_bench(job.bench, job.variables, limit_s));
}

std::string LiveMeasuring::said_by_bench(std::vector<std::string> words, const std::vector<std::string>& variables,
                                         double limit_s) {
  words.insert(words.begin(), "bench");
  return said_by(words, variables, limit_s);
}

std::string LiveMeasuring::said_by(const std::vector<std::string>& words, const std::vector<std::string>& variables,
                                   double limit_s) {
  os::ChildRequest request;
  request.words = {around_.program};
  request.words.insert(request.words.end(), words.begin(), words.end());
  request.words.insert(request.words.end(), {"--json", "--quiet"});
  request.variables = variables;
  request.output_bytes = std::size_t{64} << 20U;
  request.limit_s = limit_s;
  request.may_be_stopped = true;
  const os::ChildResult child = os::run_child(request);
  const std::string command = fmt::format("charm {}", fmt::join(words, " "));
  if (child.interrupted != 0) stopped_ = true;
  if (child.start_error != 0)
    refuse("cannot run '" + around_.program + "': " + std::string(std::generic_category().message(child.start_error)),
           "");
  if (child.too_long) {
    refuse(fmt::format("'{}' took longer than {:.0f} s", command, limit_s),
           "measure on a quieter machine, or with --full");
  }
  if (child.exit_code != 0 || child.signal != 0) {
    std::string last = child.error_tail.substr(0, child.error_tail.find_last_not_of('\n') + 1);
    last = last.substr(last.find_last_of('\n') + 1);
    refuse(fmt::format("'{}' ended with {} {}{}", command, child.signal != 0 ? "signal" : "exit code",
                       child.signal != 0 ? child.signal : child.exit_code, last.empty() ? "" : ": " + last),
           "");
  }
  return child.said;
}

std::vector<Samples> bench_rows(const std::string& text) {
  std::vector<Samples> all;
  try {
    const auto json = base::SortedJson::parse(text);
    for (const auto& each : json.at("results")) {
      const std::string name =
          fmt::format("{} {} {} {}", each.at("kernel").get<std::string>(), each.at("runtime").get<std::string>(),
                      each.at("policy").get<std::string>(), each.at("workers").get<int>());
      if (!each.at("verified").get<bool>()) refuse(name + " gave a wrong answer", "run charm bench for more");
      auto seconds = each.at("seconds").get<std::vector<double>>();
      std::optional<std::uint64_t> decisions;
      if (each.contains("decisions")) decisions = each.at("decisions").get<std::uint64_t>();
      if (!each.contains("commits")) {
        all.push_back({name, "s", false, std::move(seconds), decisions});
        continue;
      }
      // All trials of transactions take the same time: what differs is how many are committed.
      auto rates = each.at("commits").get<std::vector<double>>();
      if (rates.size() != seconds.size()) refuse(name + " has trials without a time", "install CHARM as a whole");
      for (std::size_t i = 0; i < rates.size(); ++i) rates[i] /= seconds[i];
      all.push_back({name, "tx/s", true, std::move(rates), decisions});
    }
  } catch (const nlohmann::json::exception& error) {
    refuse("charm bench printed no results that can be read: " + base::json_problem(error), "install CHARM as a whole");
  }
  return all;
}

double recorded_fills(const std::string& text, counters::FillSet part, counters::FillSet whole) {
  std::istringstream in(text);
  const counters::Recording recording = counters::read_recording(in, "the recorded counters");
  const auto sum = [&](counters::FillSet set) {
    double all = 0;
    for (const auto& [worker, readings] : recording.workers) {
      if (readings.size() < 2) continue;
      for (const counters::FillSource source : counters::all_fill_sources) {
        if (!set.has(source)) continue;
        if (!readings.back().has.fills.has(source))
          refuse(fmt::format("the counters do not tell {}", counters::name(source)), "");
        all += static_cast<double>(readings.back().fill(source) - readings.front().fill(source));
      }
    }
    return all;
  };
  const double lines = sum(part);
  const double value = whole.empty() ? lines : lines / std::max(1.0, sum(whole));
  if (!(value > 0)) refuse("no cache lines of that kind were counted", "");
  return value;
}

}  // namespace charm::evaluate
