// What the threads of one source share: their environment, the check for fork(), and the notes. Also the software
// counters of a thread, which remain if its hardware counters cannot be opened.
#pragma once

#include <algorithm>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/notices.hpp"
#include "counters/file_budget.hpp"
#include "counters/opening.hpp"
#include "counters/ration.hpp"
#include "counters/sources.hpp"
#include "os/threads/thread_usage.hpp"

namespace charm::counters {

/// The notes of a source, each once; threads of a runtime share them.
class Notes {
 public:
  void add(const std::string& key, const std::string& text) {
    {
      const std::lock_guard lock(mutex_);
      if (std::find(texts_.begin(), texts_.end(), text) != texts_.end()) return;
      texts_.push_back(text);
    }
    base::notice("counters: " + key, text);
  }
  [[nodiscard]] std::vector<std::string> all() const {
    const std::lock_guard lock(mutex_);
    return texts_;
  }

 private:
  mutable std::mutex mutex_;
  std::vector<std::string> texts_;
};

struct Shared {
  explicit Shared(SourceContext context)
      : around(std::move(context)), budget(std::make_shared<FileBudget>(files_for_counters(around.files))) {}

  SourceContext around;
  os::ForkDetector fork_detector;
  Notes notes;

  /// open_groups(), by one thread at a time: while it is opened, an event has a descriptor that it does not keep. What
  /// is kept comes out of the budget of all threads.
  Opened open(std::vector<std::vector<Planned>> groups, const Limits& limits) {
    const std::lock_guard lock(opening);
    return open_groups(around, std::move(groups), limits, true, budget);
  }
  std::mutex opening;
  std::shared_ptr<FileBudget> budget;
};

std::shared_ptr<Shared> share(const SourceContext& around);

std::unique_ptr<ThreadCounters> software_thread(std::shared_ptr<Shared> shared);

}  // namespace charm::counters
