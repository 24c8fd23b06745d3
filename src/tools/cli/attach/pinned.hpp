// `charm run --pin-threads` and `charm attach --pin-threads`: no policy, no shares; each thread gets its cpu from a
// list.
#pragma once

#include <optional>
#include <string>

#include "tools/attach/live_system.hpp"
#include "tools/attach/thread_pinner.hpp"
#include "tools/cli/attach/options.hpp"
#include "tools/cli/attach/summary.hpp"
#include "tools/cli/command.hpp"

namespace charm::cli {

class Pinned {
 public:
  Pinned(const AttachOptions& options, const Prepared& prepared, int pid, bool attached);

  /// Binds threads that are new, then waits until there may be others or `descriptor` is readable; at most `most`
  /// seconds.
  void step_and_wait(int descriptor, double most = 10);
  void step();
  void restore() { pinner_.restore(); }
  [[nodiscard]] AttachResult outcome(const std::string& program) const;
  /// Writes the summary to the place that the options name.
  void write_summary(const AttachOptions& options, const Prepared& prepared, const AttachResult& outcome,
                     Session& session) const;

 private:
  const double begun_;
  const int pid_;
  const bool attached_;
  attach::LiveSystem system_;
  attach::ThreadPinner pinner_;
};

/// "0,1,2,3,8", in order.
std::string pins_text(const std::vector<int>& cpus);

}  // namespace charm::cli
