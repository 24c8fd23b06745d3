#include "tools/cli/attach/steered.hpp"

#include <charm/error.hpp>

#include <algorithm>
#include <array>
#include <limits>
#include <ostream>
#include <utility>

#include "base/clock.hpp"
#include "os/files/output_file.hpp"
#include "os/files/system_files.hpp"
#include "os/processes/this_process.hpp"
#include "tools/cli/attach/growth.hpp"
#include "tools/os/page_mover.hpp"
#include "tools/os/wait_for_input.hpp"

namespace charm::cli {
namespace {

constexpr double patience_s = 10;  // with a program that tells nothing yet, as while its server starts

/// Opens counters only if a controller would decide by them.
std::unique_ptr<counters::OtherThreads> counters_for(const Prepared& prepared) {
  if (!decides(prepared)) return nullptr;
  return std::make_unique<counters::OtherThreads>(prepared.settings, prepared.whole.machine);
}

class LivePages final : public attach::ProgramPages {
 public:
  explicit LivePages(const attach::LiveSystem& system) : system_(system) {}
  std::uint64_t find(const OsNodeSet& nodes) override { return mover_.find(system_.followed(), nodes); }
  Moved move(std::uint64_t most) override {
    const auto moved = mover_.move(most);
    return {moved.bytes, moved.refused, moved.end};
  }
  bool balanced_by_kernel() override { return os::first_line("/proc/sys/kernel/numa_balancing").value_or("0") != "0"; }

 private:
  const attach::LiveSystem& system_;
  os::PageMover mover_;
};

}  // namespace

Steered::Steered(const AttachOptions& options, Prepared& prepared, int pid, bool attached,
                 std::unique_ptr<attach::ProgressSource> progress)
    : begun_(base::monotonic_seconds()),
      pid_(pid),
      attached_(attached),
      counters_(counters_for(prepared)),
      system_(pid, options.children, counters_.get()),
      attachment_(system_, prepared.whole, options.chiplets.most, prepared.came_with, attached,
                  std::move(prepared.lease), os::live_cpu_watch("/", std::to_string(pid)), base::monotonic_seconds()),
      program_pages_(std::make_unique<LivePages>(system_)),
      pages_(*program_pages_, options.pages),
      progress_(decides(prepared) ? std::move(progress) : nullptr),
      speaks_(!options.quiet && options.report.empty()),
      heard_of_it_(begun_) {
  if (const auto granted = os::live_cpu_watch("/", std::to_string(pid))->granted()) {
    if (auto growth = growth_of(options, prepared, *granted, attached)) attachment_.may_grow(std::move(growth));
  }
  if (progress_ != nullptr) system_.ask_of_progress(*progress_);
  if (options.no_avoid) attachment_.thread_placer().others().ignore();
  attachment_.thread_placer().expect(attach::openmp_masks(prepared.pools));
  attachment_.thread_placer().at_left_alone([this](const attach::ThreadId& id) {
    left_alone_.push_back(id.thread);
    if (affinity_restorer_) affinity_restorer_->leave_alone(id.thread);
  });
}

void Steered::restore_by(std::optional<os::AffinityRestorer>& affinity_restorer) {
  affinity_restorer_ = affinity_restorer ? &*affinity_restorer : nullptr;
  if (affinity_restorer_ == nullptr) return;
  affinity_restorer_->watch_over(pid_);
  for (const int thread : left_alone_) affinity_restorer_->leave_alone(thread);
}

/// \returns when it is to be asked again.
double Steered::ask_progress(double now) {
  if (progress_ == nullptr) return std::numeric_limits<double>::infinity();
  const double due = progress_->step(now);
  if (progress_->trouble().empty()) heard_of_it_ = now;
  if (now - heard_of_it_ >= patience_s && said_trouble_.empty()) {
    said_trouble_ = progress_->trouble();
    if (speaks_) os::write_to_stderr("charm: " + said_trouble_ + "; the program is placed as without it\n");
  }
  return due;
}

void Steered::step_and_wait(int descriptor, double most) {
  const double asked = ask_progress(base::monotonic_seconds());
  double due = std::min(asked, attachment_.step(base::monotonic_seconds()));
  if (pages_.is_wanted())
    due = std::min(due, pages_.step(base::monotonic_seconds(), attachment_.thread_placer().worker_nodes()));
  const double now = base::monotonic_seconds();
  double seconds = std::clamp(due - now, 0.0, most);
  std::array<os::WatchedFile, 3> files{
      {{descriptor}, {system_.announces()}, {progress_ == nullptr ? -1 : progress_->descriptor()}}};
  const attach::ThreadPlacer& placer = attachment_.thread_placer();
  if (const double rest = placer.next_look() - now;
      (heard_ || placer.found_news()) && rest > 0 && files[1].descriptor >= 0) {
    // Announcements come as fast as others make them. They are taken together at the next search, so that a program
    // that creates processes all the time is interrupted once for each search.
    files[1].descriptor = -1;
    seconds = std::min(seconds, rest);
  }
  os::wait_for_input(files, seconds);
  heard_ = files[1].ready;
}

double Steered::seconds() const { return base::monotonic_seconds() - begun_; }

AttachResult Steered::outcome(const std::string& program) const {
  AttachResult outcome;
  outcome.program = program;
  outcome.pid = pid_;
  outcome.attached = attached_;
  outcome.seconds = seconds();
  outcome.found_by = system_.method();
  outcome.counters = counters_ == nullptr     ? "not needed"
                     : counters_->available() ? counters_->name()
                                              : "none: " + counters_->why_not();
  outcome.own_seconds = os::cpu_seconds();
  outcome.pages = pages_.summary();
  if (progress_ != nullptr) {
    outcome.trouble = said_trouble_.empty() ? progress_->trouble() : said_trouble_;
    outcome.trouble_was_said = speaks_ && !said_trouble_.empty();
  }
  return outcome;
}

void Steered::write_summary(const AttachOptions& options, const Prepared& prepared, const AttachResult& outcome,
                            Session& session) const {
  if (!options.report.empty()) {
    try {
      os::write_whole(options.report, summary_json(outcome, prepared, attachment_));
    } catch (const Error& error) {  // the program's own end matters more
      session.err << "charm: " << error.what() << '\n';
    }
  } else if (!options.quiet) {
    session.err << summary_text(outcome, prepared, attachment_) << std::flush;
  }
}

int show_plan(const AttachOptions& options, const Prepared& prepared, Session& session) {
  session.out << (options.json ? intent_json(options, prepared) : intent_text(options, prepared));
  return exit_done;
}

}  // namespace charm::cli
