// What `charm run` and `charm attach` do alike while a program is steered, and when that is over.
#pragma once

#include <memory>
#include <string>

#include "adopt/live_system.hpp"
#include "adopt/steward.hpp"
#include "cli/adopt/options.hpp"
#include "cli/adopt/summary.hpp"
#include "cli/command.hpp"

namespace charm::cli {

class Steered {
 public:
  Steered(const AdoptOptions& options, Prepared& prepared, int pid, bool attached);

  /// Does what is due, then waits until something is due again or `descriptor` is readable; at most `most` seconds.
  void step_and_wait(int descriptor, double most = 10);
  [[nodiscard]] Outcome outcome(const std::string& program) const;
  [[nodiscard]] double seconds() const;  ///< since it began
  adopt::Steward& steward() { return steward_; }
  adopt::LiveSystem& system() { return system_; }
  /// The summary, to where the options say.
  void tell(const AdoptOptions& options, const Prepared& prepared, const Outcome& outcome, Session& session) const;

 private:
  const double begun_;
  const int pid_;
  const bool attached_;
  std::unique_ptr<counters::OtherThreads> counters_;
  adopt::LiveSystem system_;
  adopt::Steward steward_;
  bool heard_ = false;  // an announcement ended the latest wait
};

/// --dry-run: what would be done.
int intend(const AdoptOptions& options, const Prepared& prepared, Session& session);

}  // namespace charm::cli
