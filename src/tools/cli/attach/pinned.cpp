#include "tools/cli/attach/pinned.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <ostream>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/clock.hpp"
#include "base/format.hpp"
#include "base/json.hpp"
#include "os/files/output_file.hpp"
#include "os/processes/this_process.hpp"
#include "tools/os/wait_for_input.hpp"

namespace charm::cli {
namespace {

using Json = base::Json;

std::string pinned_json(const AttachResult& outcome, const Prepared& prepared, const attach::ThreadPinner& pinner) {
  Json threads = Json::array();
  for (const auto& [id, cpu] : pinner.pinned()) {
    threads.push_back({{"process", id.process}, {"thread", id.thread}, {"cpu", cpu < 0 ? Json(nullptr) : Json(cpu)}});
  }
  std::vector<std::string> notes = prepared.notes;
  if (!pinner.trouble().empty()) notes.push_back(pinner.trouble());
  const Json all = {{"program", outcome.program},
                    {"pid", outcome.pid},
                    {"attached", outcome.attached},
                    {"seconds", outcome.seconds},
                    {"ended", ended_json(outcome)},
                    {"used", used_json(outcome)},
                    {"pins", prepared.pins},
                    {"pinned", threads},
                    {"own_cpu_s", outcome.own_seconds},
                    {"notes", notes}};
  return base::json_text(all, 2) + "\n";
}

std::string pinned_text(const AttachResult& outcome, const Prepared& prepared, const attach::ThreadPinner& pinner) {
  const auto bound = static_cast<std::size_t>(
      std::count_if(pinner.pinned().begin(), pinner.pinned().end(), [](const auto& one) { return one.cpu >= 0; }));
  std::string text =
      fmt::format("charm: {} {} after {}; {} pinned to cpus {}\n", outcome.program, how_it_ended(outcome),
                  base::format_seconds(outcome.seconds), base::counted(bound, "thread"), pins_text(prepared.pins));
  if (bound > prepared.pins.size())
    text += "charm: there were more threads than cpus in the list: after the last cpu came the first again\n";
  if (!pinner.trouble().empty()) text += "charm: " + pinner.trouble() + "\n";
  for (const auto& note : prepared.notes) text += "charm: " + note + "\n";
  return text;
}

}  // namespace

std::string pins_text(const std::vector<int>& cpus) { return fmt::format("{}", fmt::join(cpus, ",")); }

Pinned::Pinned(const AttachOptions& options, const Prepared& prepared, int pid, bool attached)
    : begun_(base::monotonic_seconds()),
      pid_(pid),
      attached_(attached),
      system_(pid, options.children, nullptr),
      pinner_(system_, prepared.pins, prepared.came_with) {}

void Pinned::step() { pinner_.step(base::monotonic_seconds()); }

void Pinned::step_and_wait(int descriptor, double most) {
  const double due = pinner_.step(base::monotonic_seconds());
  std::array<os::WatchedFile, 2> files{{{descriptor}, {system_.announces()}}};
  os::wait_for_input(files, std::clamp(due - base::monotonic_seconds(), 0.0, most));
}

AttachResult Pinned::outcome(const std::string& program) const {
  AttachResult outcome;
  outcome.program = program;
  outcome.pid = pid_;
  outcome.attached = attached_;
  outcome.seconds = base::monotonic_seconds() - begun_;
  outcome.found_by = system_.method();
  outcome.own_seconds = os::cpu_seconds();
  return outcome;
}

void Pinned::write_summary(const AttachOptions& options, const Prepared& prepared, const AttachResult& outcome,
                           Session& session) const {
  if (!options.report.empty()) {
    try {
      os::write_whole(options.report, pinned_json(outcome, prepared, pinner_));
    } catch (const Error& error) {  // the program's own end matters more
      session.err << "charm: " << error.what() << '\n';
    }
  } else if (!options.quiet) {
    session.err << pinned_text(outcome, prepared, pinner_) << std::flush;
  }
}

}  // namespace charm::cli
