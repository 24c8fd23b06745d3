#include "cli/adopt/steered.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <chrono>
#include <ostream>
#include <poll.h>

#include <sys/resource.h>

#include "cli/output_file.hpp"
#include "controller/policy.hpp"

namespace charm::cli {
namespace {

double now_s() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

double own_cpu_seconds() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  return static_cast<double>(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
         1e-6 * static_cast<double>(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

/// Counting is looked into only where somebody would decide by it.
std::unique_ptr<counters::OtherThreads> counters_for(const Prepared& prepared) {
  if (!controller::moves(prepared.plan.spec) || prepared.whole.machine.chiplets.size() < 2) return nullptr;
  return std::make_unique<counters::OtherThreads>(prepared.settings, prepared.whole.machine);
}

}  // namespace

Steered::Steered(const AdoptOptions& options, Prepared& prepared, int pid, bool attached)
    : begun_(now_s()),
      pid_(pid),
      attached_(attached),
      counters_(counters_for(prepared)),
      system_(pid, options.children, counters_.get()),
      steward_(system_, prepared.whole, options.chiplets, prepared.came_with, attached, std::move(prepared.lease),
               os::live_cpu_watch(), now_s()) {
  if (options.no_avoid) steward_.adopter().ignore_others();
}

void Steered::step_and_wait(int descriptor, double most) {
  const double due = steward_.step(now_s());
  const double now = now_s();
  double seconds = std::clamp(due - now, 0.0, most);
  std::array<pollfd, 2> files{{{descriptor, POLLIN, 0}, {system_.announces(), POLLIN, 0}}};
  if (const double rest = steward_.adopter().next_look() - now; heard_ && rest > 0 && files[1].fd >= 0) {
    files[1].fd = -1;  // announcements come as fast as others make them; they are taken a few at a time
    seconds = std::min(seconds, rest);
  }
  poll(files.data(), files.size(), static_cast<int>(seconds * 1000 + 0.999));
  heard_ = files[1].revents != 0;
}

double Steered::seconds() const { return now_s() - begun_; }

Outcome Steered::outcome(const std::string& program) const {
  Outcome outcome;
  outcome.program = program;
  outcome.pid = pid_;
  outcome.attached = attached_;
  outcome.seconds = seconds();
  outcome.found_by = system_.method();
  outcome.counters = counters_ == nullptr     ? "not needed"
                     : counters_->available() ? counters_->name()
                                              : "none: " + counters_->why_not();
  outcome.own_seconds = own_cpu_seconds();
  return outcome;
}

void Steered::tell(const AdoptOptions& options, const Prepared& prepared, const Outcome& outcome,
                   Session& session) const {
  if (!options.report.empty()) {
    try {
      write_whole(options.report, summary_json(outcome, prepared, steward_));
    } catch (const Error& error) {  // the program's own end matters more
      session.err << "charm: " << error.what() << '\n';
    }
  } else if (!options.quiet) {
    session.err << summary_text(outcome, prepared, steward_) << std::flush;
  }
}

int intend(const AdoptOptions& options, const Prepared& prepared, Session& session) {
  session.out << (options.json ? intent_json(options, prepared) : intent_text(options, prepared));
  return exit_done;
}

}  // namespace charm::cli
