// What `charm run` and `charm attach` share while the threads of a program are placed, and afterwards.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "tools/attach/attachment.hpp"
#include "tools/attach/live_system.hpp"
#include "tools/cli/attach/options.hpp"
#include "tools/cli/attach/summary.hpp"
#include "tools/cli/command.hpp"
#include "tools/os/affinity_restorer.hpp"

namespace charm::cli {

class Steered {
 public:
  /// \param progress what tells of the program's work; null: nothing does.
  Steered(const AttachOptions& options, Prepared& prepared, int pid, bool attached,
          std::unique_ptr<attach::ProgressSource> progress);

  /// Does what is due, then waits until something is due again or `descriptor` is readable; at most `most` seconds.
  void step_and_wait(int descriptor, double most = 10);
  void restore() { attachment_.thread_placer().restore(); }
  [[nodiscard]] AttachResult outcome(const std::string& program) const;
  [[nodiscard]] double seconds() const;  ///< seconds since the object was made
  attach::Attachment& attachment() { return attachment_; }
  attach::LiveSystem& system() { return system_; }
  /// The restorer that is to undo what was done if this process is killed. It may be given late, and lives longer.
  void restore_by(std::optional<os::AffinityRestorer>& affinity_restorer);
  /// Writes the summary to the place that the options name.
  void write_summary(const AttachOptions& options, const Prepared& prepared, const AttachResult& outcome,
                     Session& session) const;

 private:
  double ask_progress(double now);

  const double begun_;
  const int pid_;
  const bool attached_;
  std::unique_ptr<counters::OtherThreads> counters_;
  attach::LiveSystem system_;
  attach::Attachment attachment_;
  std::unique_ptr<attach::ProgramPages> program_pages_;
  attach::PageFollower pages_;
  std::unique_ptr<attach::ProgressSource> progress_;
  const bool speaks_;            // on stderr, while the program runs
  std::string said_trouble_;     // of progress_
  double heard_of_it_;           // when there was no trouble the last time
  std::vector<int> left_alone_;  // threads
  const os::AffinityRestorer* affinity_restorer_ = nullptr;
  bool heard_ = false;  // an announcement ended the latest wait
};

/// Prints what would be done (--dry-run).
int show_plan(const AttachOptions& options, const Prepared& prepared, Session& session);

}  // namespace charm::cli
